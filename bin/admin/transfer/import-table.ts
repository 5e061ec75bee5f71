import { advance, type Creation, createAll, keyOf, readAll, replace } from '../table/bulk.ts';
import { DiskMap } from '../table/disk-map.ts';
import { type Item, type Key, readBeside } from '../table/scan.ts';

/** The operations of an import on the table of the service. */
export const realTable = {
  readAll,
  readBeside: (key: Key) => readBeside(key),
  createAll,
  advance,
  replace,
} as const;

/** That table, or its stand-in. */
export type ImportTable = typeof realTable;

/**
 * Returns a stand-in for the table that writes nothing. It remembers what it would have written,
 * since a later line may have the same id.
 */
export const newDryRunTable = (): ImportTable => {
  /** What was removed is null. */
  const written = new DiskMap<Item | null>();
  const readWritten = async (keys: readonly Key[]) => {
    const stored = await readAll(keys);
    return keys.map((key, index): Item | undefined => {
      const item = written.get(key);
      return item === undefined ? stored[index] : (item ?? undefined);
    });
  };

  return {
    readAll: readWritten,
    readBeside: async (key) => [
      ...(await readBeside(key)),
      ...written.partition(key.pk, key.sk).filter((item) => item !== null),
    ],
    createAll: async (items) => {
      const there = await readWritten(items.map(keyOf));
      return items.map((item, index): Creation => {
        const before = there[index];
        if (before?.type) return { result: 'present', before };
        written.set(item, item);
        return { result: 'created' };
      });
    },
    advance: async (before, after, members) => {
      const changed = Object.fromEntries(members.map((name) => [name, after[name]]));
      written.set(before, { ...before, ...changed });
      return true;
    },
    replace: async (before, after) => {
      written.set(before, after ?? null);
      return true;
    },
  };
};
