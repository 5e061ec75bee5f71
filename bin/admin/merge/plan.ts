import { needOf, rankOf } from '../kinds/all.ts';
import { type Item, type Key, keyOf, type Need, nameOf } from '../kinds/kind.ts';
import { readAll } from '../table/bulk.ts';
import { DiskMap } from '../table/disk-map.ts';
import { addTo, type Tally } from '../table/tally.ts';

/** A write that is planned: without `before` it creates an item. */
export interface Change {
  /** What changes must still be as it is in this item. */
  readonly before?: Item;
  readonly after: Item;
  /** The line of the file that it comes from. */
  readonly line?: number;
}

/** The items at some keys, by their names. */
export type Found = ReadonlyMap<string, Item>;

/**
 * The writes that are planned, by the keys of their items: what one needs has a lower rank. An
 * import and a restore make such a plan, print it or carry it out.
 */
export class Plan extends DiskMap<Change> {
  /** The redactions that it was made with. */
  known: readonly Item[] = [];
  /** What is still to be redacted in the table, by type: another run may have written it. */
  readonly found: Tally = {};

  /** Adds a change, in place of another one of the same item. */
  add(change: Change): void {
    this.set(change.after, change, rankOf(change.after));
  }

  /** Adds a change, unless there is another one of the same item. */
  addIfMissing(change: Change): void {
    this.setIfMissing(change.after, change, rankOf(change.after));
  }

  /** The item at a key as it will be: `found` is the one in the table. */
  look(key: Key, found: Found): Item | undefined {
    return this.get(key)?.after ?? found.get(nameOf(key));
  }

  /** How many changes there are, by the type of their items. */
  counts(): Tally {
    const counts: Tally = {};
    for (const { after } of this.values()) addTo(counts, after.type);
    return Object.fromEntries(Object.entries(counts).sort());
  }
}

/** Reads the items at the keys of these, and at those that they need, from the table. */
export const readNeighbours = async (items: readonly Item[]): Promise<Found> => {
  const wanted = items.flatMap((item) => {
    const { key, owner } = needOf(item) ?? {};
    return [keyOf(item), key ?? [], owner ?? []].flat();
  });
  const found = (await readAll(wanted)).filter((item) => item !== undefined);
  return new Map(found.map((item) => [nameOf(item), item]));
};

/** What an item needs that is neither in the table nor planned. */
export const missingNeed = (plan: Plan, found: Found, item: Item): Need | undefined => {
  const need = needOf(item);
  return need && !plan.look(need.key, found) ? need : undefined;
};
