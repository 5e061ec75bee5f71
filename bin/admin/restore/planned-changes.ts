import { DiskMap } from '../table/disk-map.ts';
import { rankOf } from '../table/needs.ts';
import type { Item } from '../table/scan.ts';
import { addTo, type Tally } from '../terminal/tally.ts';

/** A write that is planned: without `before` it creates an item, without `after` it removes one. */
export interface Change {
  /** The item must still be this when it is replaced or removed. */
  readonly before?: Item;
  readonly after?: Item;
}

/** The writes that are planned, by the keys of their items: the needs of one have a lower rank. */
export class PlannedChanges extends DiskMap<Change> {
  /** Adds a change, in place of another one of the same item. */
  add(change: Change): void {
    this.set(itemOf(change), change, change.after && rankOf(change.after));
  }

  /** Adds a change, unless there is another one of the same item. */
  addIfMissing(change: Change): void {
    this.setIfMissing(itemOf(change), change, change.after && rankOf(change.after));
  }

  /** How many changes of each kind there are, by the type of their items. */
  counts(): Tally {
    const counts: Tally = {};
    for (const change of this.values()) addTo(counts, itemOf(change).type);
    return Object.fromEntries(Object.entries(counts).sort());
  }
}

const itemOf = ({ before = {}, after = before }: Change): Item => after;
