import { DatabaseSync } from 'node:sqlite';
import { type Creation, type createAll, readAll } from './table/bulk.ts';
import { refusalOf } from './table/item-limits.ts';
import type { Item } from './table/scan.ts';

/**
 * Returns a stand-in for `createAll` that writes nothing. It remembers what it would have created,
 * since a later line may have the same id: in a temporary file of SQLite's own, so that its memory
 * does not grow with the file.
 */
export const foresight = (): typeof createAll => {
  const database = new DatabaseSync('');
  database.exec(
    'PRAGMA synchronous = OFF; CREATE TABLE created (pk TEXT, sk TEXT, item TEXT, PRIMARY KEY (pk, sk)) WITHOUT ROWID',
  );
  const insert = database.prepare('INSERT INTO created VALUES (?, ?, ?)');
  const select = database.prepare('SELECT item FROM created WHERE pk = ? AND sk = ?');

  const foresee = (item: Item, stored: Item | undefined): Creation => {
    const reason = refusalOf(item);
    if (reason) return { outcome: 'refused', reason };
    const key = [String(item.pk), String(item.sk)] as const;
    const created = select.get(...key)?.item;
    const before = stored ?? (created && JSON.parse(String(created)));
    if (before) return { outcome: 'present', before };
    insert.run(...key, JSON.stringify(item));
    return { outcome: 'created' };
  };

  return async (items) => {
    const stored = await readAll(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
    database.exec('BEGIN');
    const creations = items.map((item, index) => foresee(item, stored[index]));
    database.exec('COMMIT');
    return creations;
  };
};
