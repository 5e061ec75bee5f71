import { expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { newPaymentRequest } from '../support/tenants.ts';
import { expectLine, useFunctions } from '../support/use-functions.ts';
import { responseOf } from './responses.ts';

const { deployed, proxied, tenant } = await useFunctions();

const route = routes.approvePaymentRequest;

/** A request whose key is in progress: its transaction is held until it is released. */
const begin = async () => {
  const { id } = await newPaymentRequest(tenant.workspace);
  const sent = { tenant, id, body: { approver: tenant.manager }, key: id };
  const { proxy, lambda } = await proxied(route.functionName);
  const { held, release } = proxy.hold({ operation: 'TransactWriteItems' });
  const response = responseOf(lambda, route, sent);
  await held;
  return { sent, lambda, response, release };
};

test('a key in progress is in use for the same request, and another body is refused', async () => {
  const { sent, response, release } = await begin();
  const lambda = deployed(route.functionName);
  const same = await responseOf(lambda, route, sent);
  const body = { ...sent.body, reason: 'Another' };
  const other = await responseOf(lambda, route, { ...sent, body });
  release();
  expect([same.status, same.body.code]).toEqual([409, 'idempotency_key_in_use']);
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  expect((await response).status).toBe(200);
});

test('the line of a request names the effect that another try of it has made', async () => {
  const { sent, lambda, response, release } = await begin();
  const another = deployed(route.functionName, { POWERTOOLS_IDEMPOTENCY_DISABLED: 'true' });
  const { text, body } = await responseOf(another, route, sent);
  release();
  const replay = await response;
  expect(replay.text).toBe(text);
  const ids = { payment_request: sent.id, approval: body.approvals[0] };
  expectLine(lambda, { request_id: replay.headers['Request-Id'], ...ids });
});
