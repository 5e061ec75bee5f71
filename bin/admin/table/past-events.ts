import {
  type Event,
  effectIn,
  eventChanges,
  eventRows,
  eventTypes,
} from '../../../functions/domain/events.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { filterBy, scan } from './scan.ts';

/** The type and the item of each event since a time (ISO 8601 in UTC) that can be made again. */
export async function* eventsSince(since: string): AsyncGenerator<[Event['type'], Item]> {
  const items = Object.fromEntries(eventChanges.map(({ item }) => [item, item]));
  const types = Object.keys(items).map((type) => `:${type}`);
  const times = eventChanges.map(
    ({ part, time }) => `${part ? `#${part}.` : ''}#${time} >= :since`,
  );
  const filter = `#type IN (${types}) AND (${[...new Set(times)].join(' OR ')})`;
  for await (const item of scan(filterBy(filter, { ...items, since }))) {
    for (const type of eventTypes) {
      if (String(timeOf(type, item) ?? '') >= since) yield [type, item];
    }
  }
}

/** When an item had an event; undefined if never, or if it does not keep what the event says. */
const timeOf = (type: Event['type'], item: Item): unknown => {
  const row = eventRows[type];
  const { status = item.status, time, hasReason } = row;
  const isNow = item.status === status;
  // What never changed may have come with a new sandbox, or with the demo data, as it is.
  const hasChanged = item.updated !== item.created;
  const isKept = isNow || (time !== 'updated' && !hasReason);
  const wasMade = row.change === 'INSERT' ? isNow || hasChanged : hasChanged && isKept;
  return row.item === item.type && wasMade ? effectIn(item, row)[time] : undefined;
};
