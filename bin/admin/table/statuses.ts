import { endTimes } from '../../../functions/store/attributes.ts';
import type { Item } from './scan.ts';

/**
 * The statuses in which items of a type begin, and to which none returns: an item with another
 * status has gone on from there.
 */
const beginnings: Readonly<Record<string, readonly string[]>> = {
  PAYMENT_REQUEST: ['draft', 'pending'],
  OFFER: ['draft'],
  SANDBOX: ['provisioning'],
  DELIVERY: ['queued', 'sending'],
};

/** Whether an item, of a type with such statuses, still has one of them. */
export const isBeginning = ({ type, status }: Readonly<Record<string, unknown>>): boolean =>
  beginnings[String(type)]?.includes(String(status)) ?? false;

/**
 * A delivery attempt in each status that another one has followed. The reason of that status is not
 * kept.
 */
export const earlierEnds = (attempt: Item): Item[] =>
  Object.entries(endTimes)
    .filter(([status, time]) => status !== attempt.status && attempt[time])
    .map(([status, time]) => ({
      ...attempt,
      status,
      reason: undefined,
      updated: attempt[time],
    }));
