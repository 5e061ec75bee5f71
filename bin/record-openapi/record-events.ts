import { setTimeout as sleep } from 'node:timers/promises';
import { demo } from '../../functions/contract/demo.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import type { Event } from '../../functions/domain/events.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { redactionItems } from '../admin/table/redactions.ts';
import { samplePaymentRequest } from '../local-run/sample-items.ts';

/** The types of events that the exchanges, a redaction and a message bring about. */
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

/** The message that ends the approved request of the demo data. */
export const endingMessage = () => {
  const id = demo.payment_requests.approved;
  const created = new Date().toISOString();
  const fields = {
    id,
    worker: 'wr_amara',
    reference: 'INV-2042',
    status: 'cancelled',
    created,
  } as const;
  const { approvals: _, ...payment_request } = samplePaymentRequest(fields);
  return { workspace: demo.workspaces.live, version: 1, payment_request };
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
