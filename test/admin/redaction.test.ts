import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shapeFaultOf } from '../../bin/admin/kinds/all.ts';
import { redactedAddress } from '../../bin/admin/kinds/offer.ts';
import { redactionItems, redactor } from '../../bin/admin/table/redactions.ts';
import type { Item } from '../../bin/admin/table/scan.ts';
import { presentOffer } from '../../functions/domain/offer.ts';
import { savedPaymentRequest } from '../../functions/idempotency/saved-payment-request.ts';
import { deliveryItem, offerItem } from '../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { offer, ordered, paymentRequest, queuedAttempt } from '../support/arbitraries.ts';
import { author } from '../support/test-author.ts';

const workspace = 'wsp_1';

const redact = (id: string, item: Item, at = workspace) =>
  redactor(redactionItems(at, [id], author))(item);

/** Redacts an item once, and compares it, but for its author. */
const expectRedacted = (id: string, item: Item, expected: Item) => {
  const before = { ...item, author };
  const after = redact(id, before);
  expect(after).toEqual({ ...expected, author });
  expect(shapeFaultOf(after)).toBeUndefined();
  expect(redact(id, after)).toBe(after);
  expect(redact('ptr_another', before)).toBe(before);
};

const claimOf = (operation: string, answer: unknown) => ({
  type: 'CLAIM',
  workspace,
  operation,
  key: 'k',
  fingerprint: '0'.repeat(64),
  status: 'COMPLETED',
  validation: '',
  result: JSON.stringify(answer),
  expires: 1,
});

test('a payment request keeps all but its note, reference, documents and payment', () => {
  fc.assert(
    fc.property(paymentRequest, (request) => {
      const item = paymentRequestItem(workspace, request);
      const payment = request.payment && {};
      const data = { note: '', reference: 'redacted', documents: [], payment };
      expectRedacted(request.id, item, { ...item, ...data });
      expect(redact(request.id, item, 'wsp_2')).toBe(item);
    }),
  );
});

test('an approval loses its reason alone', () => {
  fc.assert(
    fc.property(ordered, fc.uuid(), fc.string(), (id, approver, reason) => {
      const created = '2026-11-01T00:00:00.000Z';
      const approval = { id: `apprdec_${id}`, payment_request: 'ptr_1', approver, created };
      expectRedacted('ptr_1', approvalItem({ ...approval, reason }), approvalItem(approval));
    }),
  );
});

test('an offer gets an address that nobody has, and cannot be sent', () => {
  fc.assert(
    fc.property(offer, (each) => {
      const item = offerItem(workspace, each);
      const status = ['draft', 'sent'].includes(each.status) ? 'voided' : each.status;
      expectRedacted(each.id, item, { ...item, status, recipient_email: redactedAddress });
    }),
  );
});

test('an attempt that waits is not sent, and any other stays', () => {
  fc.assert(
    fc.property(queuedAttempt, fc.constantFrom('queued', 'sending', 'sent'), (each, status) => {
      const item = deliveryItem(workspace, { ...each, status });
      const failed = { status: 'failed', reason: 'redacted' };
      expectRedacted(
        each.offer,
        status === 'sending' ? { ...item, lease_ends: 1 } : item,
        status === 'sent' ? item : { ...item, ...failed },
      );
    }),
  );
});

test('a saved answer keeps the order of its members, and all that is no personal data', () => {
  const approvals = fc.array(ordered, { minLength: 1 });
  fc.assert(
    fc.property(paymentRequest, approvals, (fields, ids) => {
      const request = { ...fields, approvals: ids.map((id) => `apprdec_${id}`) };
      const data = { reference: 'redacted', note: '', documents: [] };
      const payment = request.payment && {};
      expectRedacted(
        request.id,
        claimOf('approve-payment-request', savedPaymentRequest.compact(request, Date.now())),
        claimOf('approve-payment-request', {
          ...(savedPaymentRequest.compact(request, Date.now()) as object),
          ...{ ...data, payment },
        }),
      );
    }),
  );
  fc.assert(
    fc.property(offer, queuedAttempt, (each, attempt) => {
      const answer = presentOffer(each, attempt);
      expectRedacted(
        each.id,
        claimOf('resend-offer', answer),
        claimOf('resend-offer', { ...answer, recipient_email: redactedAddress }),
      );
    }),
  );
});

test('a record of one workspace is redacted, though a later redaction of another one names it', () => {
  const redactions = [workspace, 'wsp_2'].flatMap((at) => redactionItems(at, ['ofr_1'], author));
  fc.assert(
    fc.property(offer, (each) => {
      const item = offerItem(workspace, { ...each, id: 'ofr_1' });
      expect(redactor(redactions)(item)).toEqual(redact('ofr_1', item));
      expect(redactor(redactions)(item)).toHaveProperty('recipient_email', redactedAddress);
    }),
  );
});

test('a claim whose answer cannot be read stays: nobody knows what it is about', () => {
  const claim = { ...claimOf('resend-offer', {}), result: '{"id":"ofr_1"' };
  expect(redact('ofr_1', claim)).toBe(claim);
});
