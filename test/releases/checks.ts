import type { SQSBatchResponse } from 'aws-lambda';
import { expect } from 'vitest';
import { batched } from '../../bin/admin/table/in-parallel.ts';
import { type Item, type Key, scanType } from '../../bin/admin/table/scan.ts';
import { type Event, eventSource } from '../../functions/domain/events.ts';
import { fixtures, Sandbox } from '../../functions/domain/sandbox.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { eventfulChanges, type ItemChange } from '../../lib/item-changes.ts';
import { changed, messages, outboxMessage } from '../support/function-events.ts';
import { putAll, removeAll } from '../support/put-all.ts';
import type { Frozen, FrozenMessage } from './frozen.ts';
import { shifted } from './load-table.ts';
import type { Served } from './served.ts';

/**
 * Verifies a part of what a release promises. It can be repeated.
 *
 * @param adminScript the operators' command line
 * @throws AssertionError
 */
export type Check = (served: Served, adminScript: string) => Promise<void>;

/** Tokens of every kind are accepted or rejected as before. */
const tokens: Check = async ({ send, frozen }) => {
  const { live, readOnly, test, revoked, expired } = frozen.tokens;
  const statusOf = async (token: string) => (await send('listSandboxes', {}, { token })).status;
  const statuses = await Promise.all([live, readOnly, test, revoked, expired].map(statusOf));
  expect(statuses).toEqual([200, 200, 403, 401, 401]);
};

/** Cursors, in both directions, and identifiers lead to the same sandboxes. */
const lists: Check = async ({ send, frozen }) => {
  for (const { query, ids } of frozen.pages) {
    const { body } = await send('listSandboxes', { query });
    expect(body).toMatchObject({ sandboxes: ids.map((id) => ({ id })) });
  }
};

/** Payment requests in every status can be approved, and list the approvals that they had. */
const approvals: Check = async ({ send, frozen }) => {
  const approver = frozen.manager;
  for (const { id, ...before } of itemsOf(frozen, 'PAYMENT_REQUEST', frozen.workspace)) {
    const { status, body } = await send('approvePaymentRequest', { id, body: { approver } });
    const { pk: _, sk: __, type: ___, author: ____, imported: _____, ...members } = before;
    const { workspace: ______, ...shown } = members;
    expect([status, body]).toMatchObject([200, { ...shown, id, status: 'approved' }]);
    const earlier = frozen.items
      .filter((item) => item.payment_request === id)
      .map((approval) => approval.id);
    expect(body.approvals.slice(0, earlier.length)).toEqual(earlier);
  }
};

/** Offers that were sent can be sent again; others cannot. */
const resends: Check = async ({ send, frozen }) => {
  for (const { id, ...before } of itemsOf(frozen, 'OFFER', frozen.workspace)) {
    const { status, body } = await send('resendOffer', { id });
    if (before.status !== 'sent') expect(body.code).toBe('offer_not_sent');
    else {
      const { recipient_email, created } = before;
      expect([status, body]).toMatchObject([200, { id, recipient_email, created }]);
      expect(body.delivery.attempts).toBeGreaterThan(Number(before.attempts));
    }
  }
};

/** A retry with the key of an answered request gets that answer, byte for byte. */
const replays: Check = async ({ send, frozen }) => {
  for (const { operation, status, text, ...sent } of frozen.answers) {
    const answer = await send(operation, sent, sent);
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers.get('Idempotent-Replayed')).toBe('true');
  }
};

/** The key of a request that has begun is in use. */
const keysInUse: Check = async ({ send, frozen }) => {
  // Its lease ends some seconds after it was frozen, and so after it was loaded.
  await putAll(shifted(frozen, Date.now()).filter(({ status }) => status === 'INPROGRESS'));
  for (const { operation, ...sent } of frozen.inProgress) {
    const { body } = await send(operation, sent, sent);
    expect(body.code).toBe('idempotency_key_in_use');
  }
};

/** The message of a new sandbox makes it ready. */
const provisioning: Check = async (served) => {
  const body = messageOf(served.frozen, 'provisioning');
  const { workspace, sandbox } = JSON.parse(body);
  const key = keys.sandbox(workspace, sandbox);
  const item = frozenAt(served.frozen, key);
  await removeAll(fixtureItems(fixtures(Sandbox.parse(item), '')));
  await putAll([item]);
  await consume(served, 'provision-sandbox', body);
  expect(await read(key)).toMatchObject({ status: 'ready' });
};

/** The message of a delivery attempt sends its mail. */
const deliveries: Check = async (served) => {
  const body = messageOf(served.frozen, 'delivery');
  const { offer, delivery } = JSON.parse(body);
  const key = keys.delivery(offer, delivery);
  await putAll([frozenAt(served.frozen, key)]);
  await consume(served, 'deliver-offer', body);
  expect(await read(key)).toMatchObject({ status: 'sent' });
};

/** An attempt whose consumer was at work is sent when its lease has ended. */
const takeovers: Check = async (served) => {
  const item = served.frozen.items.find(({ status }) => status === 'sending') ?? {};
  await putAll([{ ...item, lease_ends: Date.now() - 1 }]);
  await consume(served, 'deliver-offer', outboxMessage('Delivery', item));
  const key = keys.delivery(String(item.offer), String(item.id));
  expect(await read(key)).toMatchObject({ status: 'sent' });
};

/** What SES reports about a mail that was sent is recorded. */
const mailEvents: Check = async (served) => {
  const body = messageOf(served.frozen, 'mail-events');
  const { offer, delivery_attempt } = JSON.parse(body).detail.mail.tags;
  const key = keys.delivery(offer[0], delivery_attempt[0]);
  await putAll([frozenAt(served.frozen, key)]);
  await consume(served, 'record-mail-event', body);
  expect(await read(key)).toMatchObject({ status: 'delivered' });
};

/** The items have the events that they had. */
const events: Check = async ({ invoke, service, frozen }) => {
  const before = service.events.length;
  const redacted = frozen.items.flatMap(({ type, ids }) =>
    type === 'REDACTION' ? (ids as string[]) : [],
  );
  const eventful = frozen.items.filter(
    (item) => !item.imported && !redacted.includes(String(item.payment_request)),
  );
  const ids = new Set<unknown>();
  for (const each of eventfulChanges) {
    for await (const batch of batched(eventful.filter(isAfter(each)), 100)) {
      for (const { id } of batch) ids.add(id);
      // A busy machine may not publish all of them in one try.
      await expect
        .poll(() => invoke('publish-events', changed(each.change, batch)))
        .toEqual({ batchItemFailures: [] } satisfies SQSBatchResponse);
    }
  }
  const published = new Map(
    service.events
      .slice(before)
      .filter(({ source }) => source === eventSource)
      .map(({ detail }) => [(detail as Event).id, detail as Event]),
  );
  const known = frozen.events.filter(({ id }) => published.has(id));
  expect(known.map(({ id }) => published.get(id))).toMatchObject(known);
  // Each item has an event of its state; those of its earlier states do not come again.
  const subjects = new Set(known.map(subjectOf));
  const silent = frozen.events.map(subjectOf).filter((id) => ids.has(id) && !subjects.has(id));
  expect(silent).toEqual([]);
  expect(new Set(known.map(({ type }) => type))).toEqual(
    new Set(frozen.events.map(({ type }) => type)),
  );
};

/** The identifier of the item that an event is about. */
const subjectOf = ({ data }: Event): string => ('approval' in data ? data.approval.id : data.id);

/** Whether an item is as a change leaves it. */
const isAfter =
  ({ types, statuses }: ItemChange) =>
  ({ type, status }: Item): boolean =>
    types.includes(String(type)) && (!statuses || statuses.includes(String(status)));

/** Operators read which sandbox, attempt or item a dead letter is about. */
const deadLetters: Check = async ({ service, frozen, admin }, adminScript) => {
  for (const { queue, body } of frozen.messages) {
    service.stack.queues.send(service.queue(deadLetterQueues[queue]), { body });
  }
  const { stdout } = await admin(
    adminScript,
    'dead-letters',
    'discard',
    '--all',
    '--yes',
    '--json',
  );
  const ids: string[] = JSON.parse(stdout).discarded;
  const acts = (await Array.fromAsync(scanType('ACT'))).filter(({ message_id }) =>
    ids.includes(String(message_id)),
  );
  for (const { queue, body } of frozen.messages) {
    const { sandbox, delivery, pk, detail } = JSON.parse(body);
    const id = sandbox ?? delivery ?? pk ?? detail.mail.tags.delivery_attempt[0];
    expect(acts.map((act) => act.sandbox ?? act.delivery ?? act.partition)).toContain(id);
    expect(acts.map((act) => act.queue)).toContain(queue);
  }
};

/** Parts of their names, by those that commands have for the queues. */
const deadLetterQueues = {
  provisioning: 'ProvisioningDeadLetters',
  delivery: 'DeliveryDeadLetters',
  'mail-events': 'MailEventsDeadLetters',
  events: 'EventsPublisherDeadLetters',
} as const;

/** All of them, by what they are about. */
export const checks = {
  tokens,
  lists,
  approvals,
  resends,
  replays,
  'keys in use': keysInUse,
  provisioning,
  deliveries,
  takeovers,
  'mail events': mailEvents,
  events,
  'dead letters': deadLetters,
} as const satisfies Readonly<Record<string, Check>>;

type Identified = Item & { readonly id: string };

/** The frozen items of a type that a workspace owns. */
const itemsOf = ({ items }: Frozen, type: string, workspace: string): Identified[] =>
  items.filter((item): item is Identified => item.type === type && item.workspace === workspace);

const frozenAt = ({ items }: Frozen, { pk, sk }: Key): Item => {
  const item = items.find((each) => each.pk === pk && each.sk === sk);
  if (!item) throw new Error(`The release has no item ${pk} ${sk}.`);
  return item;
};

const messageOf = ({ messages }: Frozen, queue: FrozenMessage['queue']): string => {
  const message = messages.find((each) => each.queue === queue);
  if (!message) throw new Error(`The release has no message of the queue ${queue}.`);
  return message.body;
};

const consume = async ({ invoke }: Served, name: string, body: string): Promise<void> => {
  const answer = (await invoke(name, messages(body))) as SQSBatchResponse;
  expect(answer).toEqual({ batchItemFailures: [] });
};
