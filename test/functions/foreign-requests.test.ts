import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { putAll } from '../support/put-all.ts';
import { approvalBy, newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';
import { responseOf } from './responses.ts';

const { proxied, tenant: owner } = await useFunctions();

/** The time of a response must not reveal whether another tenant has the requested item. */
describe("approving another tenant's payment request, as one that does not exist", () => {
  let other: Tenant;
  beforeAll(async () => {
    other = await newTenant();
  });

  const start = async () => {
    const { proxy: dynamodb, lambda } = await proxied('approve-payment-request');
    const approve = (tenant: Tenant, id: string) => {
      const sent = { tenant, id, body: { approver: tenant.manager } };
      return responseOf(lambda, routes.approvePaymentRequest, sent);
    };
    return { dynamodb, approve };
  };

  test('reads no more than five of its approvals, and nothing where there is no such id', async () => {
    const { dynamodb, approve } = await start();
    const { id } = await newPaymentRequest(owner.workspace);
    await putAll(Array.from({ length: 60 }, () => approvalItem(approvalBy(owner.manager, id))));
    for (const asked of [id, 'x'])
      expect((await approve(other, asked)).body.code).toBe('payment_request_not_found');
    const queries = dynamodb.seen.filter(({ operation }) => operation === 'Query');
    expect(queries.map(({ scanned }) => scanned)).toEqual([6]);
  });

  test('makes the same calls, and leaves nothing behind in the instance', async () => {
    const { dynamodb, approve } = await start();
    const { id } = await newPaymentRequest(owner.workspace);
    const callsFor = async (tenant: Tenant, asked: string) => {
      dynamodb.clear();
      // Either response may end the request before the other call has arrived: each is held till
      // then.
      const released = expect.poll(() => dynamodb.seen.length).toBeGreaterThanOrEqual(2);
      for (const operation of ['GetItem', 'Query'])
        dynamodb.inject({ operation, fault: { kind: 'hold', released } });
      const { status } = await approve(tenant, asked);
      return { status, calls: dynamodb.seen.map(({ operation }) => operation).sort() };
    };
    expect((await callsFor(owner, id)).status).toBe(200);

    const foreign = await callsFor(other, id);
    expect(foreign).toEqual(await callsFor(other, `ptr_${newOpaque()}`));
    expect(foreign).toEqual({ status: 404, calls: ['GetItem', 'Query'] });
    expect((await callsFor(owner, id)).status).toBe(200);
  });
});
