import { DatabaseSync } from 'node:sqlite';
import { advance, type Creation, createAll, readAll } from '../table/bulk.ts';
import type { Item, Key } from '../table/scan.ts';

/** What an import does with a table. */
export interface ImportTable {
  readonly read: typeof readAll;
  readonly create: typeof createAll;
  readonly advance: typeof advance;
}

/** The table of the service. */
export const realTable: ImportTable = { read: readAll, create: createAll, advance };

/**
 * Returns a stand-in for the table that writes nothing. It remembers what it would have written,
 * since a later line may have the same id: in a temporary file of SQLite's own, so that its memory
 * does not grow with the file.
 */
export const foresight = (): ImportTable => {
  const database = new DatabaseSync('');
  database.exec(
    'PRAGMA synchronous = OFF; CREATE TABLE written (pk TEXT, sk TEXT, item TEXT, PRIMARY KEY (pk, sk)) WITHOUT ROWID',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO written VALUES (?, ?, ?)');
  const select = database.prepare('SELECT item FROM written WHERE pk = ? AND sk = ?');

  const write = (item: Item) => insert.run(String(item.pk), String(item.sk), JSON.stringify(item));
  const read = async (keys: readonly Key[]) => {
    const stored = await readAll(keys);
    return keys.map(({ pk, sk }, index): Item | undefined => {
      const written = select.get(pk, sk)?.item;
      return written ? JSON.parse(String(written)) : stored[index];
    });
  };

  return {
    read,
    create: async (items) => {
      const there = await read(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
      database.exec('BEGIN');
      const creations = items.map((item, index): Creation => {
        const before = there[index];
        if (before) return { outcome: 'present', before };
        write(item);
        return { outcome: 'created' };
      });
      database.exec('COMMIT');
      return creations;
    },
    advance: async (before, after, members) => {
      write({ ...before, ...Object.fromEntries(members.map((name) => [name, after[name]])) });
      return true;
    },
  };
};
