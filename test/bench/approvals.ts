import { ulid } from 'ulid';
import { approve, type PaymentRequest } from '../../functions/domain/payment-request.ts';
import { routes } from '../../functions/domain/routes.ts';
import { claim } from '../../functions/idempotency/claims.ts';
import { newIntent } from '../../functions/idempotency/intent.ts';
import { savedPaymentRequest } from '../../functions/idempotency/saved-payment-request.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { findManager } from '../../functions/store/managers.ts';
import {
  approvalItem,
  loadPaymentRequest,
  saveApproval,
} from '../../functions/store/payment-requests.ts';
import { requestTo } from '../support/function-events.ts';
import { putAll } from '../support/put-all.ts';
import { approvalBy, newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { comparisonOf, durationOf, inTurns } from './in-turns.ts';
import type { Part } from './row.ts';
import { requireSuccess, timeAnswer } from './scenarios.ts';
import { exactly } from './spread.ts';

const few = 10;
const many = 10_000;
const usualRuns = 200;
const warmUps = 20;

/** Does a payment request with many approvals become dearer to approve? */
export const approvals: Part = {
  name: 'approvals',
  measure: async (bench) => {
    bench.progress(`approvals: one more on a payment request that has ${few}, or ${many}`);
    const tenant = await newTenant();
    const [small, large] = [await newApproved(tenant, few), await newApproved(tenant, many)];
    const runs = bench.runs(usualRuns);

    const manager = await findManager(tenant.account, tenant.manager);
    /** The write alone, and with the claim of an Idempotency-Key, which holds the answer. */
    const write = async (id: string, keyed: boolean) => {
      const before = await loadPaymentRequest(tenant, id);
      return () => {
        const approval = approvalBy(tenant.manager, id);
        const operation = 'approve-payment-request';
        const intent = newIntent({ workspace: tenant.workspace, operation, key: newOpaque() }, '');
        const approved = approve(before, manager, approval);
        return durationOf(() => {
          const guard = keyed ? claim(intent, savedPaymentRequest.compact(approved)) : undefined;
          return saveApproval(before, approved, approval, author, guard);
        });
      };
    };
    const writes = {
      small: await write(small.id, false),
      large: await write(large.id, false),
      smallKeyed: await write(small.id, true),
      largeKeyed: await write(large.id, true),
    };
    const written = await inTurns(runs, writes, warmUps);

    const lambda = bench.lambda('approve-payment-request');
    let answerBytes = 0;
    const whole = (id: string) => async () => {
      const event = requestTo(routes.approvePaymentRequest, {
        tenant,
        id,
        body: { approver: tenant.manager },
      });
      const { tookMs, answer } = await timeAnswer(lambda, event);
      requireSuccess('approve-payment-request', answer);
      answerBytes = Math.max(answerBytes, Buffer.byteLength(answer.body));
      return tookMs;
    };
    const requests = { small: whole(small.id), large: whole(large.id) };
    const answered = await inTurns(Math.ceil(runs / 3), requests, warmUps);
    await lambda.stop();

    const comparison = `${many} approvals against ${few}`;
    return [
      comparisonOf(`Approve, the write: ${comparison}`, written.large, written.small, 1.1),
      comparisonOf(
        `Approve with a key, the write: ${comparison}`,
        written.largeKeyed,
        written.smallKeyed,
        1.1,
      ),
      comparisonOf(`Approve, the whole request: ${comparison}`, answered.large, answered.small),
      {
        what: `Approve, the answer that lists more than ${many} approvals`,
        measured: exactly(answerBytes / 1024),
        unit: 'KB',
      },
    ];
  },
};

/** A payment request with approvals of yesterday. */
export const newApproved = async (tenant: Tenant, count: number): Promise<PaymentRequest> => {
  const request = await newPaymentRequest(tenant.workspace, { status: 'approved' });
  const yesterday = Date.now() - 86_400_000;
  const created = new Date(yesterday).toISOString();
  await putAll(
    Array.from({ length: count }, () => {
      const id = `apprdec_${ulid(yesterday)}`;
      return approvalItem(approvalBy(tenant.manager, request.id, { id, created }));
    }),
  );
  return request;
};
