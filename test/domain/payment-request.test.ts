import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Approval,
  approve,
  PaymentRequest,
  StoredPaymentRequest,
} from '../../functions/domain/payment-request.ts';
import { Problem } from '../../functions/domain/problem.ts';
import { manager, ordered, paymentRequest, timestamp } from '../support/arbitraries.ts';
import { faultsIn } from './body-faults.ts';

const approver = '11111111-1111-4111-8111-111111111111';

test.each([
  ['reference', 255],
  ['note', 1000],
])('a %s has at most %i characters, in an import as in the table', (member, most) => {
  const [request] = fc.sample(paymentRequest, 1);
  for (const schema of [PaymentRequest, StoredPaymentRequest]) {
    const takes = (length: number) =>
      schema.safeParse({ ...request, [member]: 'x'.repeat(length) }).success;
    expect([takes(most), takes(most + 1)]).toEqual([true, false]);
  }
});

describe('approving a payment request', () => {
  const approvalOf = (request: PaymentRequest, id: string, created: string): Approval => ({
    id: `apprdec_${id}`,
    payment_request: request.id,
    approver,
    created,
  });

  test('approves whatever the status was, adds the approval last and changes nothing else', () => {
    fc.assert(
      fc.property(paymentRequest, manager, ordered, timestamp, (request, by, id, now) => {
        const before = structuredClone(request);
        const approval = approvalOf(request, id, now);

        const approved = approve(request, by, approval);

        expect(approved).toEqual({
          ...before,
          status: 'approved',
          approvals: [...before.approvals, approval.id],
        });
        expect(request).toEqual(before);
        expect(PaymentRequest.parse(approved)).toEqual(approved);
      }),
    );
  });

  test('rejects an approver who is not a manager, whatever the status', () => {
    fc.assert(
      fc.property(paymentRequest, ordered, timestamp, (request, id, now) => {
        const attempt = () => approve(request, undefined, approvalOf(request, id, now));
        expect(attempt).toThrow(Problem);
        expect(attempt).toThrow(expect.objectContaining({ code: 'not_a_manager' }));
      }),
    );
  });
});

describe('a period that ends before it starts', () => {
  const backwards = paymentRequest
    .filter(({ period }) => period.starts !== period.ends)
    .map((request) => ({
      ...request,
      period: { starts: request.period.ends, ends: request.period.starts },
    }));

  test('is refused, and named', () => {
    fc.assert(
      fc.property(backwards, (request) => {
        expect(faultsIn(PaymentRequest, request)).toEqual([
          {
            pointer: '/period/ends',
            code: 'ends_before_start',
            detail: 'Must not be before the day on which the period starts.',
          },
        ]);
      }),
    );
  });
});
