import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { demo } from '../../functions/contract/demo.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import { type Event, eventTypes } from '../../functions/domain/events.ts';
import { sqs } from '../../functions/queue/sqs.ts';
import { newOpaque, newStamp } from '../../functions/runtime/stamp.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { redactionItems } from '../admin/table/redactions.ts';
import { createItem, rewrite } from '../admin/table/write.ts';
import { samplePaymentRequest } from '../local-run/sample-items.ts';

/** What becomes of a mail later, or of one that is never sent: no example is recorded of these. */
const unrecorded = /^delivery_attempt\.(simulated|failed|delivered|bounced|complained)$/;
const types = eventTypes.filter((type) => !unrecorded.test(type));

/** Writes a redaction of demo data, for its event: the data stay. @returns it */
export const recordRedaction = async () => {
  const { workspaces, payment_requests, offers } = demo;
  const author = newAuthor('operator:jane', `run_${newOpaque()}`);
  const ids = [payment_requests.paid, offers.accepted];
  const items = redactionItems(workspaces.live, ids, author);
  await Promise.all(items.map((item) => commitNew(item)));
  return items;
};

/** Writes a request and then how a record has ended it, for the event. @returns it */
export const recordEnd = async () => {
  const { opaque, created } = newStamp();
  const fields = { id: `ptr_${opaque}`, worker: 'wr_amara', reference: 'INV-2044', created };
  const author = newAuthor('sender:AROAEXAMPLE', randomUUID());
  const item = paymentRequestItem(demo.workspaces.live, samplePaymentRequest(fields));
  const end = { id: `end_${opaque}`, status: 'cancelled', record_version: 7, at: created };
  const ended = { ...item, author, ended: { ...author, ...end } };
  await createItem({ ...item, author });
  await rewrite({ ...item, author }, ended);
  return ended;
};

/** Sends a record with a wrong amount, for the event of its refusal. @returns it */
export const recordRefusal = async (QueueUrl: string | undefined) => {
  const { opaque, created } = newStamp();
  const fields = { id: `ptr_${opaque}`, worker: 'wr_amara', reference: 'INV-2045', created };
  const { approvals: _, ...record } = samplePaymentRequest(fields);
  const payment_request = { ...record, amount: '1250' };
  const message = { workspace: demo.workspaces.live, version: 7, payment_request };
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }));
  return message;
};

/**
 * The first event of each type of what these name, when all have come.
 *
 * @param received returns the events that have come so far
 * @throws Error that names the types of which none has come after 30 s
 */
export const recordEvents = async (
  named: readonly unknown[],
  received: () => Promise<readonly Event[]>,
): Promise<Event[]> => {
  const text = JSON.stringify(named);
  const endMs = performance.now() + 30_000;
  for (;;) {
    // The identifier of a first effect is the smallest; events come in any order.
    const events = (await received())
      // Behind `evt_` an event has the identifier of its effect; a refusal has none.
      .filter(({ id, data }) => {
        const effect = id.split('_').slice(1, 3).join('_');
        return text.includes('faults' in data ? String(data.record) : effect);
      })
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const found = types.flatMap((type) => events.find((event) => event.type === type) ?? []);
    if (found.length === types.length) return found;
    if (performance.now() > endMs) {
      const missing = types.filter((type) => !found.some((event) => event.type === type));
      throw new Error(
        `After 30 s there is no event ${missing.join(' or ')} of what was recorded: neither a response nor recordRedaction, recordEnd or recordRefusal names its effect.`,
      );
    }
    await sleep(100);
  }
};
