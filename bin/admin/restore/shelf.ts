import { DiskMap } from '../table/disk-map.ts';
import { rankOf } from '../table/needs.ts';
import type { Item, Key } from '../table/scan.ts';
import { addTo, type Tally } from '../terminal/tally.ts';

/** A write that is planned: without `before` it creates an item, without `after` it removes one. */
export interface Change {
  /** The item must still be this when it is replaced or removed. */
  readonly before?: Item;
  readonly after?: Item;
}

/** The writes that are planned. */
export class Shelf {
  readonly #changes = new DiskMap<Change>();

  /** Adds a change, in place of another one of the same item. */
  add(change: Change): void {
    this.#changes.set(itemOf(change), change, change.after && rankOf(change.after));
  }

  /** Adds a change, unless there is another one of the same item. */
  addIfMissing(change: Change): void {
    this.#changes.setIfMissing(itemOf(change), change, change.after && rankOf(change.after));
  }

  has(key: Key): boolean {
    return this.#changes.get(key) !== undefined;
  }

  /** Whether an item of a partition changes. */
  touches(pk: string): boolean {
    return this.#changes.partition(pk).length > 0;
  }

  remove(key: Key): void {
    this.#changes.delete(key);
  }

  /** The changes in their order, or those of a rank: the needs of an item have a lower one. */
  changes(rank?: number): Generator<Change> {
    return this.#changes.values(rank);
  }

  /** How many changes of each kind there are, by the type of their items. */
  counts(): Tally {
    const counts: Tally = {};
    for (const change of this.changes()) addTo(counts, itemOf(change).type);
    return Object.fromEntries(Object.entries(counts).sort());
  }
}

const itemOf = ({ before = {}, after = before }: Change): Item => after;
