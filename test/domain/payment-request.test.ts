import { expect, test } from 'vitest';
import {
  approve,
  newApproval,
  PaymentRequest,
  StoredPaymentRequest,
} from '../../functions/domain/payment-request.ts';
import { requestRecord } from '../support/records.ts';

const created = '2026-11-01T10:00:00.000Z';
const opaque = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const approver = '11111111-1111-4111-8111-111111111111';
const request = {
  ...requestRecord({ documents: [{ id: 'doc_1' }], payment: { id: 'pay_1' } }),
  approvals: [`apprdec_${opaque.replace('01', '00')}`],
};
const manager = { id: approver, account: 'acc_1', created };
const approval = newApproval(request, { approver }, opaque, created);

test.each([
  ['reference', 255],
  ['note', 1000],
])('a %s has at most %i characters, in an import as in the table', (member, most) => {
  for (const schema of [PaymentRequest, StoredPaymentRequest]) {
    const takes = (length: number) =>
      schema.safeParse({ ...request, [member]: 'x'.repeat(length) }).success;
    expect([takes(most), takes(most + 1)]).toEqual([true, false]);
  }
});

test.each(PaymentRequest.shape.status.options)(
  'a request that is %s becomes approved by a manager, with the approval last and nothing else changed',
  (status) => {
    const before = Object.freeze({ ...request, status });
    const approved = approve(before, manager, approval);
    const approvals = [...request.approvals, approval.id];
    expect(approved).toEqual({ ...request, status: 'approved', approvals });
    expect(PaymentRequest.parse(approved)).toEqual(approved);
    expect(() => approve(before, undefined, approval)).toThrow(
      expect.objectContaining({ name: 'Problem', code: 'not_a_manager' }),
    );
  },
);

test.each([
  [{}, { version: 8 }, /^The record has version 8\. Load it again/],
  [{ differs: true as const }, {}, /^The record ended with another worker.* send If-Match: \*\./],
])(
  'a version that If-Match does not name is refused with advice: %j',
  (stored, extension, advice) => {
    expect(() =>
      approve({ ...request, version: 8, ...stored }, manager, approval, ['"7"']),
    ).toThrow(
      expect.objectContaining({
        code: 'version_mismatch',
        message: expect.stringMatching(advice),
        extension,
      }),
    );
  },
);
