import type { PaymentRequest } from '../../functions/domain/payment-request.ts';

/** A pending payment request to try the service with, changed by `fields`. It is not saved. */
export const samplePaymentRequest = (
  fields: Pick<PaymentRequest, 'id' | 'worker' | 'reference' | 'created'> & Partial<PaymentRequest>,
): PaymentRequest => ({
  amount: '1250.00',
  currency: 'USD',
  status: 'pending',
  note: '',
  period: { starts: '2026-10-01', ends: '2026-10-31' },
  documents: [],
  approvals: [],
  payment: null,
  ...fields,
});
