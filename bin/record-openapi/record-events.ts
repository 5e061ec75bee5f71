import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { demo } from '../../functions/contract/demo.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import type { Event } from '../../functions/domain/events.ts';
import { importRecord, RecordMessage } from '../../functions/domain/record.ts';
import { newOpaque, newStamp } from '../../functions/runtime/stamp.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { loadRecord, newRecordStamp, saveRecord } from '../../functions/store/records.ts';
import { redactionItems } from '../admin/table/redactions.ts';
import { samplePaymentRequest } from '../local-run/sample-items.ts';

/** The types of events that the exchanges, a redaction and a record bring about. */
const types: readonly Event['type'][] = [
  'payment_request.approved',
  'payment_request.ended',
  'sandbox.created',
  'sandbox.ready',
  'delivery_attempt.created',
  'delivery_attempt.sent',
  'personal_data.redacted',
];

/** Writes a redaction of demo data, for its event: the data stay. @returns it */
export const recordRedaction = async () => {
  const { workspaces, payment_requests, offers } = demo;
  const author = newAuthor('operator:jane', `run_${newOpaque()}`);
  const ids = [payment_requests.paid, offers.accepted];
  const items = redactionItems(workspaces.live, ids, author);
  await Promise.all(items.map((item) => commitNew(item)));
  return items;
};

/** Stores an approved request, and a record that ends it, for its event. @returns the record */
export const recordEnd = async () => {
  const { opaque: id, created } = newStamp();
  const fields = { id: `ptr_${id}`, worker: 'wr_amara', reference: 'INV-2044', created };
  const request = samplePaymentRequest({ ...fields, status: 'approved' });
  const workspace = demo.workspaces.live;
  const author = newAuthor('sender:AROAEXAMPLE', randomUUID());
  await commitNew({ ...paymentRequestItem(workspace, request), author });
  const { approvals: _, ...record } = { ...request, status: 'cancelled' };
  const message = RecordMessage.parse({ workspace, version: 7, payment_request: record });
  const before = await loadRecord(message);
  const change = importRecord(message, before, newRecordStamp(message));
  await saveRecord(message, before, change, author);
  return record;
};

/**
 * The first event of each type of what these name, when all have come.
 *
 * @param received returns the events that have come so far
 */
export const recordEvents = async (
  named: readonly unknown[],
  received: () => Promise<readonly Event[]>,
): Promise<Event[]> => {
  const text = JSON.stringify(named);
  for (;;) {
    // The identifier of a first effect is the smallest; events come in any order.
    const events = (await received())
      .filter(({ data }) => {
        if ('approval' in data) return text.includes(data.approval.id);
        return text.includes('id' in data ? data.id : data.payment_request.id);
      })
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const found = types.flatMap((type) => events.find((event) => event.type === type) ?? []);
    if (found.length === types.length) return found;
    await sleep(100);
  }
};
