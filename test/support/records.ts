import type { Offer } from '../../functions/domain/offer.ts';
import type { PaymentRequest } from '../../functions/domain/payment-request.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';

type RequestRecord = Omit<PaymentRequest, 'approvals'>;
type OfferRecord = Pick<Offer, 'id' | 'recipient_email' | 'status' | 'created'>;

/** A payment request as a company's own system sends it. */
export const requestRecord = (fields: Partial<RequestRecord> = {}): RequestRecord => ({
  id: `ptr_${newOpaque()}`,
  worker: 'wr_1',
  amount: '1250.00',
  currency: 'USD',
  status: 'pending',
  reference: 'INV-1',
  note: '',
  period: { starts: '2026-10-01', ends: '2026-10-31' },
  documents: [],
  payment: null,
  created: '2026-10-31T09:00:00.000Z',
  ...fields,
});

/** An offer as a company's own system sends it. */
export const offerRecord = (fields: Partial<OfferRecord> = {}): OfferRecord => {
  const id = `ofr_${newOpaque()}`;
  return {
    id,
    recipient_email: `${id.toLowerCase()}@example.com`,
    status: 'draft',
    created: '2026-10-31T09:00:00.000Z',
    ...fields,
  };
};
