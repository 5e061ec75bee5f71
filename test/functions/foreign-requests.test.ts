import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { errorAnswer } from '../support/fault-proxy.ts';
import { requestTo } from '../support/function-events.ts';
import { newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';
import { answerOf } from './answers.ts';

const { proxied, tenant: owner } = await useFunctions();

/** The time of an answer must not reveal whether another tenant has the requested item. */
describe("approving another tenant's payment request, as one that does not exist", () => {
  let other: Tenant;
  beforeAll(async () => {
    other = await newTenant();
  });

  const start = async () => {
    const { proxy: dynamodb, lambda } = await proxied('approve-payment-request');
    const approve = (tenant: Tenant, id: string) =>
      answerOf(
        lambda,
        requestTo(routes.approvePaymentRequest, { tenant, id, body: { approver: tenant.manager } }),
      );
    return { dynamodb, approve };
  };

  test('is answered before its approvals have been read', async () => {
    const { dynamodb, approve } = await start();
    const { id } = await newPaymentRequest(owner.workspace);
    onTestFinished(dynamodb.hold({ operation: 'Query' }).release);

    for (const asked of [id, `ptr_${newOpaque()}`]) {
      expect((await approve(other, asked)).body.code).toBe('payment_request_not_found');
    }
  });

  test('ignores the reply to the approvals query even if it arrives first', async () => {
    const { dynamodb, approve } = await start();
    const { id } = await newPaymentRequest(owner.workspace);
    const answered = () => dynamodb.seen.filter(({ fault }) => fault === 'answer');

    for (const asked of [id, `ptr_${newOpaque()}`]) {
      dynamodb.clear();
      dynamodb.inject({ operation: 'Query', fault: errorAnswer('ValidationException') });
      const released = expect.poll(answered).toHaveLength(1);
      const about = '{"S":"PAYMENT_REQUEST"}';
      dynamodb.inject({ operation: 'GetItem', about, fault: { kind: 'hold', released } });
      expect((await approve(other, asked)).body.code).toBe('payment_request_not_found');
    }
    // It is the answer to their owner.
    expect((await approve(owner, id)).body.code).toBe('internal_error');
  });

  test('makes the same calls, and leaves nothing behind in the instance', async () => {
    const { dynamodb, approve } = await start();
    const { id } = await newPaymentRequest(owner.workspace);
    const callsFor = async (tenant: Tenant, asked: string) => {
      dynamodb.clear();
      // An answer may be known before its last call has arrived: none is, until all have.
      const released = expect.poll(() => dynamodb.seen.length).toBeGreaterThanOrEqual(3);
      dynamodb.inject({ operation: 'GetItem', fault: { kind: 'hold', released } });
      const { status } = await approve(tenant, asked);
      return { status, calls: dynamodb.seen.map(({ operation }) => operation).sort() };
    };
    expect((await callsFor(owner, id)).status).toBe(200);

    const foreign = await callsFor(other, id);
    expect(foreign).toEqual(await callsFor(other, `ptr_${newOpaque()}`));
    expect(foreign).toEqual({ status: 404, calls: ['GetItem', 'GetItem', 'Query'] });
    expect((await callsFor(owner, id)).status).toBe(200);
  });
});
