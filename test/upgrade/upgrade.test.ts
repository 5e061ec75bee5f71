import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { OperationId, OperationRequest } from '../../functions/contract/operation.ts';
import { routes } from '../../functions/domain/routes.ts';
import { keys } from '../../functions/store/keys.ts';
import { readItem } from '../../functions/store/read.ts';
import { readAuthorizerResponse } from '../../lib/local/local-engine.ts';
import { failuresOf, responseOf } from '../functions/responses.ts';
import {
  authorization,
  changed,
  messages,
  methodArn,
  outboxMessage,
} from '../support/function-events.ts';
import { putAll } from '../support/put-all.ts';
import { useFunctions } from '../support/use-functions.ts';
import held from './held.json' with { type: 'json' };

// Today's functions on items that were stored before, and on what clients and queues hold of them.
// From 1.0.0 on, a change of a stored form appends items to items.jsonl, and edits none; before it,
// they were written anew. The tokens give access to nothing: their service ran on one machine for
// some minutes.
const lines = readFileSync(join(import.meta.dirname, 'items.jsonl'), 'utf8')
  .trim()
  .split('\n');
const items = lines.map((line) => JSON.parse(line));

const { deployed, clock } = await useFunctions();

const { workspace, account } = held;
/** A request with a key, as it is kept. */
interface Sent extends OperationRequest {
  readonly operation: string;
  readonly key?: string;
}

const send = ({ operation, ...sent }: Sent) => {
  const route = routes[operation as OperationId];
  const lambda = deployed(route.functionName);
  return responseOf(lambda, route, { tenant: { workspace, account }, ...sent });
};

/** The stored items of a type that the workspace owns. */
const stored = (type: string) =>
  items.filter((item) => item.type === type && item.workspace === workspace);

/** Invokes the consumer of a stored message. */
const consume = async (name: string, body = ''): Promise<void> => {
  expect(await failuresOf(deployed(name), messages(body))).toEqual([]);
};

const messageOf = (queue: string) => held.messages.find((each) => each.queue === queue)?.body ?? '';

/** Before any lease of the items ends. */
const hourMs = 3_600_000;

beforeAll(async () => {
  clock.advance(held.atMs - hourMs - clock.now());
  await putAll(items);
});

test('tokens are accepted and rejected as before', async () => {
  const decisions = Object.entries(held.tokens).map(async ([name, token]) => {
    const event = authorization(routes.listSandboxes, `Bearer ${token}`);
    const response = (await deployed('authorize').invoke(event)) as APIGatewayAuthorizerResult;
    const { allows } = readAuthorizerResponse(response);
    return [name, allows(methodArn(routes.listSandboxes)), response.context?.workspace];
  });
  expect(await Promise.all(decisions)).toEqual([
    ['live', true, workspace],
    ['readOnly', true, workspace],
    ['revoked', false, undefined],
    ['expired', false, workspace],
    ['test', true, expect.stringMatching(/^wsp_test_/)],
  ]);
});

test.each(held.pages)('page %# of the list has the same sandboxes', async ({ query, ids }) => {
  const sent = JSON.parse(JSON.stringify(query));
  const { status, body } = await send({ operation: 'listSandboxes', query: sent });
  expect([status, body]).toMatchObject([200, { sandboxes: ids.map((id) => ({ id })) }]);
});

test.each(held.inProgress)('the key $key is in use', async (sent) => {
  const { body } = await send(sent as Sent);
  expect(body.code).toBe('idempotency_key_in_use');
});

test.each(held.responses)('the saved response of $key is replayed byte for byte', async (saved) => {
  const { status, text, ...sent } = saved;
  const replay = await send(sent as Sent);
  expect([replay.status, replay.text]).toEqual([status, text]);
  expect(replay.headers).toMatchObject({ 'Idempotent-Replayed': 'true' });
});

test.each(stored('PAYMENT_REQUEST'))(
  'a payment request that is $status can be approved',
  async ({ id, worker, amount, payment }) => {
    const sent = { operation: 'approvePaymentRequest', id, body: { approver: held.manager } };
    const { status, body } = await send(sent);
    const earlier = items.filter((item) => item.payment_request === id).map((each) => each.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, worker, amount, payment, status: 'approved' });
    expect(body.approvals).toEqual([...earlier, expect.any(String)]);
  },
);

test.each(stored('OFFER'))(
  'an offer that is $status can be sent again if it was sent',
  async ({ id, status, attempts }) => {
    const { body } = await send({ operation: 'resendOffer', id });
    if (status === 'sent') expect(body.delivery.attempts).toBe(attempts + 1);
    else expect([body.status, body.code]).toEqual([409, 'offer_not_sent']);
  },
);

test('each message has its effect', async () => {
  const provisioning = messageOf('provisioning');
  await consume('provision-sandbox', provisioning);
  const { sandbox } = JSON.parse(provisioning);
  expect(await readItem(keys.sandbox(workspace, sandbox))).toMatchObject({ status: 'ready' });

  const delivery = JSON.parse(messageOf('delivery'));
  await consume('deliver-offer', messageOf('delivery'));
  const delivered = await readItem(keys.delivery(delivery.offer, delivery.delivery));
  expect(delivered).toMatchObject({ status: 'sent' });

  const { tags } = JSON.parse(messageOf('mail-events')).detail.mail;
  await consume('record-mail-event', messageOf('mail-events'));
  const reported = await readItem(keys.delivery(tags.offer[0], tags.delivery_attempt[0]));
  expect(reported).toMatchObject({ status: 'delivered' });
});

test('a mail whose consumer was at work is sent when its lease has ended', async () => {
  const attempt = items.find(({ status }) => status === 'sending');
  clock.advance(2 * hourMs);
  onTestFinished(() => clock.advance(-2 * hourMs));
  await consume('deliver-offer', outboxMessage('Delivery', attempt));
  expect(await readItem(keys.delivery(attempt.offer, attempt.id))).toMatchObject({
    status: 'sent',
  });
});

test('the events of every item can be published', async () => {
  for (const change of ['INSERT', 'MODIFY'] as const) {
    expect(await failuresOf(deployed('publish-events'), changed(change, items))).toEqual([]);
  }
});
