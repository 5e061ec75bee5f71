import type { Item } from '../../bin/admin/table/scan.ts';
import { putAll } from '../support/put-all.ts';
import type { Frozen } from './frozen.ts';

/** The members of items that say when something ends, and their units in milliseconds. */
const ends = { expires: 1000, lease_ends: 1, in_progress_expiration: 1 } as const;

/** Frozen items with as much time left until their ends as when they were frozen. */
export const shifted = ({ items, atMs }: Pick<Frozen, 'items' | 'atMs'>, nowMs: number): Item[] =>
  items.map((item) => ({
    ...item,
    ...Object.fromEntries(
      Object.entries(ends)
        .filter(([member]) => item[member] !== undefined)
        .map(([member, unitMs]) => [
          member,
          Number(item[member]) + Math.round((nowMs - atMs) / unitMs),
        ]),
    ),
  }));

/** Puts the frozen items of a release into the store's table. */
export const loadTable = (frozen: Pick<Frozen, 'items' | 'atMs'>): Promise<void> =>
  putAll(shifted(frozen, Date.now()));
