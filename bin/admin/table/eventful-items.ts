import type { Item } from '../../../functions/domain/item.ts';
import { endTimes } from '../../../functions/store/attributes.ts';
import { filterBy, scan } from './scan.ts';

/**
 * The items whose events were made since a time (ISO 8601 in UTC), each as it was then: as it was
 * created, as it is now, and in the statuses between, but for those whose reason is not kept.
 */
export async function* eventfulItems(since: string): AsyncGenerator<Item> {
  const types = { a: 'APPROVAL', d: 'DELIVERY', r: 'REDACTION', s: 'SANDBOX' };
  const filter =
    '#type IN (:a, :d, :r, :s) AND (#created >= :since OR #updated >= :since) OR #ended.#at >= :since';
  for await (const item of scan(filterBy(filter, { ...types, since }))) {
    if (item.ended) yield item;
    else
      yield* statesOf(item).filter(({ created, updated }) => String(updated ?? created) >= since);
  }
}

/** The states of an item that were published, each with its time as `updated`, or `created`. */
const statesOf = (item: Item): Item[] => {
  const { type, status, created, updated } = item;
  if (type !== 'SANDBOX' && type !== 'DELIVERY') return [item];
  const beginning = type === 'SANDBOX' ? 'provisioning' : 'queued';
  // It came with a new sandbox, or with the demo data, as it is: it has no events.
  if (status !== beginning && created === updated) return [];
  const { reason: _, ...rest } = item;
  const isPublished = status !== beginning && status !== 'sending';
  return [
    { ...rest, status: beginning, updated: created },
    ...(type === 'DELIVERY' ? earlierEnds(rest) : []),
    ...(isPublished ? [item] : []),
  ];
};

/** Statuses whose reason is a part of their event. */
const reasoned: readonly string[] = ['failed', 'bounced'];

/** An attempt in each status that another one has followed. */
const earlierEnds = (attempt: Item): Item[] =>
  Object.entries(endTimes)
    .filter(([status, time]) => status !== attempt.status && attempt[time])
    .filter(([status]) => !reasoned.includes(status))
    .map(([status, time]) => ({ ...attempt, status, updated: attempt[time] }));
