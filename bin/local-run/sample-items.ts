import type { Offer } from '../../functions/domain/offer.ts';
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

/** A draft of an offer, changed by `fields`. It is not saved. */
export const sampleOffer = (
  fields: Pick<Offer, 'id' | 'recipient_email' | 'created'> & Partial<Offer>,
): Offer => ({
  status: 'draft',
  attempts: 0,
  updated: fields.created,
  ...fields,
});
