import { expect, test } from 'vitest';
import type { OutboxQueue } from '../../functions/domain/outbox.ts';
import { fixtures } from '../../functions/domain/sandbox.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { newAttempt } from '../support/delivery-attempts.ts';
import { changed, inserted } from '../support/function-events.ts';
import { putAll } from '../support/put-all.ts';
import { newTenantIds, waitingSandbox } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { expectLine, useFunctions } from '../support/use-functions.ts';
import { failuresOf } from './responses.ts';

const { deployed, proxied, queues, takeAll } = await useFunctions();

const newSandboxItem = () => ({ ...sandboxItem(waitingSandbox(newTenantIds().workspace)), author });
const newDeliveryItem = () => ({
  ...deliveryItem(newTenantIds().workspace, newAttempt()),
  author,
});

const lambda = deployed('relay-outbox');
const relay = (items: Record<string, unknown>[], to = lambda) => failuresOf(to, inserted(...items));

/** Every message of a queue, parsed. */
const messagesIn = async (consumer: OutboxQueue) =>
  (await takeAll(`${consumer}Queue`)).map((body) => JSON.parse(body));

test('relay-outbox names a new sandbox to its provisioning, a new attempt to its delivery, and their requests', async () => {
  const [sandbox, delivery] = [newSandboxItem(), newDeliveryItem()];

  expect(await relay([sandbox, delivery])).toEqual([]);

  const request_id = author.request;
  const messages = [
    { request_id, workspace: sandbox.workspace, sandbox: sandbox.id },
    { request_id, workspace: delivery.workspace, offer: delivery.offer, delivery: delivery.id },
  ];
  expect(await messagesIn('Provisioning')).toEqual([messages[0]]);
  expect(await messagesIn('Delivery')).toEqual([messages[1]]);
  for (const message of messages) expectLine(lambda, { level: 'INFO', ...message });
});

test('a message shares its queue with those of its live workspace, which has its sandbox', async () => {
  const { proxy, lambda: by } = await proxied('relay-outbox');
  const [live, orphan] = [newTenantIds().workspace, `wsp_test_${newOpaque()}`];
  const sandbox = waitingSandbox(live);
  const { workspace } = fixtures(sandbox, sandbox.created);
  await putAll([{ ...workspaceItem(workspace), author }]);
  const groupsOf = async (...workspaces: string[]) => {
    const attempts = workspaces.map((each) => ({ ...deliveryItem(each, newAttempt()), author }));
    expect(await relay(attempts, by)).toEqual([]);
    const queue = queues.names().find((name) => name.includes('DeliveryQueue')) ?? '';
    const messages = await queues.receive(queue, { maximum: Number.POSITIVE_INFINITY });
    queues.purge(queue);
    return messages.map(({ groupId }) => groupId).sort();
  };
  expect(await groupsOf(live, workspace.id, orphan)).toEqual([live, live, orphan].sort());
  // Fairness delays nothing.
  proxy.inject({ operation: 'GetItem', fault: { kind: 'reset' } });
  expect(await groupsOf(live, workspace.id)).toEqual([live, workspace.id].sort());
});

test('relay-outbox sends each of more than SQS takes at once, and each once', async () => {
  const sandboxes = Array.from({ length: 23 }, newSandboxItem);
  const deliveries = Array.from({ length: 11 }, newDeliveryItem);

  expect(await relay([...sandboxes, ...deliveries])).toEqual([]);

  const provisioned = (await messagesIn('Provisioning')).map(({ sandbox }) => sandbox);
  const delivered = (await messagesIn('Delivery')).map(({ delivery }) => delivery);
  expect(provisioned.sort()).toEqual(sandboxes.map(({ id }) => id).sort());
  expect(delivered.sort()).toEqual(deliveries.map(({ id }) => id).sort());
});

test('an attempt that is put back has its message, and gets no other', async () => {
  const putBack = changed('MODIFY', [newDeliveryItem()]);
  expect(await failuresOf(lambda, putBack)).toEqual([]);
  expect(await messagesIn('Delivery')).toEqual([]);
});

test('an item that its filter should have kept away fails aloud', async () => {
  const by = deployed('relay-outbox');
  await expect(relay([{ type: 'CLAIM' }], by)).rejects.toThrow('CLAIM');
});
