import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '../../functions/domain/events.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';

/** The types of events that recording the exchanges brings about. */
const types: readonly Event['type'][] = [
  'payment_request.approved',
  'sandbox.created',
  'sandbox.ready',
  'delivery_attempt.created',
  'delivery_attempt.sent',
];

/**
 * The first event of each type of what recorded answers name, when all have come.
 *
 * @param look returns the events that have come so far
 */
export const recordEvents = async (
  answered: readonly Exchange[],
  look: () => Promise<readonly Event[]>,
): Promise<Event[]> => {
  const text = JSON.stringify(answered);
  for (;;) {
    const events = (await look()).filter(({ data }) =>
      text.includes('approval' in data ? data.approval.id : data.id),
    );
    const found = types.flatMap((type) => firstOf(type, events) ?? []);
    if (found.length === types.length) return found;
    await sleep(100);
  }
};

/** The identifier of a first effect is the smallest; events come in any order. */
const firstOf = (type: string, events: readonly Event[]): Event | undefined =>
  events
    .filter((event) => event.type === type)
    .sort((one, other) => (one.id < other.id ? -1 : 1))[0];
