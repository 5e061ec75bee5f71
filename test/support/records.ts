import { samplePaymentRequest } from '../../bin/local-run/sample-items.ts';
import type { Offer } from '../../functions/domain/offer.ts';
import type { PaymentRequest } from '../../functions/domain/payment-request.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';

type RequestRecord = Omit<PaymentRequest, 'approvals'>;
type OfferRecord = Pick<Offer, 'id' | 'recipient_email' | 'status' | 'created'>;

/** A payment request as a company's own system sends it. */
export const requestRecord = (fields: Partial<RequestRecord> = {}): RequestRecord => {
  const own = { id: `ptr_${newOpaque()}`, worker: 'wr_1', reference: 'INV-1' };
  const created = '2026-10-31T09:00:00.000Z';
  const { approvals: _, ...record } = samplePaymentRequest({ ...own, created, ...fields });
  return record;
};

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
