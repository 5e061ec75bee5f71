import { ulid } from 'ulid';
import { approve, type PaymentRequest } from '../../functions/domain/payment-request.ts';
import { routes } from '../../functions/domain/routes.ts';
import { claim } from '../../functions/idempotency/claims.ts';
import { savedPaymentRequest } from '../../functions/idempotency/saved-payment-request.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { findManager } from '../../functions/store/managers.ts';
import {
  approvalItem,
  loadPaymentRequest,
  saveApproval,
} from '../../functions/store/payment-requests.ts';
import { author } from '../support/author.ts';
import { requestTo } from '../support/events.ts';
import { putAll } from '../support/put-all.ts';
import { newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';
import { durationOf, inTurns } from './in-turns.ts';
import type { Part } from './row.ts';
import { requireSuccess } from './scenarios.ts';
import { exactly, ratioOf, spreadOf } from './spread.ts';
import { figure } from './table.ts';

const few = 10;
const many = 10_000;
const usualRuns = 200;
const warmUps = 20;

/** Does a payment request with many approvals become dearer to approve? */
export const approvals: Part = {
  name: 'approvals',
  measure: async (world) => {
    world.progress(`approvals: one more on a payment request that has ${few}, or ${many}`);
    const tenant = await newTenant();
    const [small, large] = [await newApproved(tenant, few), await newApproved(tenant, many)];
    const runs = world.runs(usualRuns);

    const manager = await findManager(tenant.account, tenant.manager);
    /** The write alone, and with the claim of an Idempotency-Key, which holds the answer. */
    const write = async (id: string, keyed: boolean) => {
      const before = await loadPaymentRequest(tenant, id);
      return () => {
        const approval = {
          id: `apprdec_${newOpaque()}`,
          payment_request: id,
          approver: tenant.manager,
          created: new Date().toISOString(),
        };
        const intent = {
          workspace: tenant.workspace,
          operation: 'approve-payment-request',
          key: newOpaque(),
          fingerprint: '',
        };
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
    await inTurns(warmUps, writes);
    const written = await inTurns(runs, writes);

    const lambda = world.lambda('approve-payment-request');
    let answerBytes = 0;
    const whole = (id: string) => async () => {
      const event = requestTo(routes.approvePaymentRequest, {
        tenant,
        id,
        body: { approver: tenant.manager },
      });
      const begin = performance.now();
      const answer = await lambda.invoke(event);
      const tookMs = performance.now() - begin;
      requireSuccess('approve-payment-request', answer);
      answerBytes = Math.max(answerBytes, Buffer.byteLength((answer as { body: string }).body));
      return tookMs;
    };
    const requests = { small: whole(small.id), large: whole(large.id) };
    await inTurns(warmUps, requests);
    const answered = await inTurns(Math.ceil(runs / 3), requests);
    await lambda.stop();

    const comparison = `${many} approvals against ${few}`;
    const figures = (ours: number[], base: number[]) =>
      `${figure(spreadOf(ours).median)} against ${figure(spreadOf(base).median)} ms`;
    return [
      {
        what: `Approve, the write: ${comparison}`,
        measured: ratioOf(written.large, written.small),
        unit: '×',
        target: { most: 1.1 },
        note: figures(written.large, written.small),
      },
      {
        what: `Approve with a key, the write: ${comparison}`,
        measured: ratioOf(written.largeKeyed, written.smallKeyed),
        unit: '×',
        target: { most: 1.1 },
        note: figures(written.largeKeyed, written.smallKeyed),
      },
      {
        what: `Approve, the whole request: ${comparison}`,
        measured: ratioOf(answered.large, answered.small),
        unit: '×',
        note: figures(answered.large, answered.small),
      },
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
    Array.from({ length: count }, () =>
      approvalItem({
        id: `apprdec_${ulid(yesterday)}`,
        payment_request: request.id,
        approver: tenant.manager,
        created,
      }),
    ),
  );
  return request;
};
