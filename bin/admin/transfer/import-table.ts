import { DatabaseSync } from 'node:sqlite';
import { advance, type Creation, createAll, keyOf, readAll, replace } from '../table/bulk.ts';
import { type Item, type Key, readPartition } from '../table/scan.ts';

/** The operations of an import on a table. */
export interface ImportTable {
  readonly read: (keys: readonly Key[]) => Promise<(Item | undefined)[]>;
  readonly create: typeof createAll;
  readonly advance: typeof advance;
  readonly replace: typeof replace;
  readonly partition: typeof readPartition;
}

/** The table of the service. */
export const realTable: ImportTable = {
  read: readAll,
  create: createAll,
  advance,
  replace,
  partition: readPartition,
};

/**
 * Returns a stand-in for the table that writes nothing. It remembers what it would have written,
 * since a later line may have the same id: in a temporary file of SQLite's own, so that its memory
 * does not grow with the file.
 */
export const newDryRunTable = (): ImportTable => {
  const database = new DatabaseSync('');
  database.exec(
    'PRAGMA synchronous = OFF; CREATE TABLE written (pk TEXT, sk TEXT, item TEXT, PRIMARY KEY (pk, sk)) WITHOUT ROWID',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO written VALUES (?, ?, ?)');
  const select = database.prepare('SELECT item FROM written WHERE pk = ? AND sk = ?');

  const write = ({ pk, sk }: Item, item: Item | undefined) =>
    insert.run(String(pk), String(sk), JSON.stringify(item ?? null));
  const read = async (keys: readonly Key[]) => {
    const stored = await readAll(keys);
    return keys.map(({ pk, sk }, index): Item | undefined => {
      const written = select.get(pk, sk)?.item;
      // What was removed is written as null.
      return written ? (JSON.parse(String(written)) ?? undefined) : stored[index];
    });
  };

  return {
    read,
    create: async (items) => {
      const there = await read(items.map(keyOf));
      database.exec('BEGIN');
      const creations = items.map((item, index): Creation => {
        const before = there[index];
        if (before?.type) return { result: 'present', before };
        write(item, item);
        return { result: 'created' };
      });
      database.exec('COMMIT');
      return creations;
    },
    advance: async (before, after, members) => {
      const changed = Object.fromEntries(members.map((name) => [name, after[name]]));
      write(before, { ...before, ...changed });
      return true;
    },
    replace: async (before, after) => {
      write(before, after);
      return true;
    },
    partition: async (pk) => {
      const written = database.prepare('SELECT item FROM written WHERE pk = ?').all(pk);
      const added = written.flatMap(({ item }): Item[] => JSON.parse(String(item)) ?? []);
      return [...(await readPartition(pk)), ...added];
    },
  };
};
