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

const names = (shown: string) => ({
  extension: { version: 8 },
  advice: `If-Match is ${shown}, which names no version. A version is a whole number in double quotes, such as "7".`,
});
const loads = {
  extension: { version: 8 },
  advice: expect.stringMatching(/^The record has version 8\. Load it again.* been imported\.$/),
};
const differs = {
  differs: true as const,
  extension: {},
  advice: expect.stringMatching(/^The record ended with another worker.* send If-Match: \*\.$/),
};

test.each<[ifMatch: string[], { differs?: true; extension: object; advice: unknown }]>([
  [['"7"'], loads],
  [['"07"', '"7"'], loads],
  [['"7"'], differs],
  [['"v8"'], differs],
  [['"08"'], names('"08"')],
  [['"8.0"'], names('"8.0"')],
  [['"v8"'], names('"v8"')],
  [['W/"8"'], names('W/"8"')],
  [['"*"'], names('"*"')],
  [['"08"', 'W/"8"'], names('"08", W/"8"')],
  [['"\u202e\u00e9"'], names('"\\u202e\\u00e9"')],
  [[`"${'x'.repeat(50)}"`], names(`"${'x'.repeat(39)}`)],
])(
  'an If-Match of %j, which does not name the version, is refused with advice',
  (ifMatch, each) => {
    const { advice: message, extension, ...stored } = each;
    expect(() =>
      approve({ ...request, version: 8, ...stored }, manager, approval, ifMatch),
    ).toThrow(expect.objectContaining({ code: 'version_mismatch', message, extension }));
  },
);
