import { DatabaseSync } from 'node:sqlite';
import { rankOf } from '../table/needs.ts';
import type { Item, Key } from '../table/scan.ts';

/** A write that is planned: without `before` it creates an item, without `after` it removes one. */
export interface Change {
  /** The item must still be this when it is replaced or removed. */
  readonly before?: Item;
  readonly after?: Item;
}

/**
 * The writes that are planned: in a temporary file of SQLite's own, so that memory does not grow
 * with the table.
 */
export class Shelf {
  readonly #database = new DatabaseSync('');

  constructor() {
    this.#database.exec(
      `PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;
      CREATE TABLE change (pk TEXT, sk TEXT, rank INTEGER, type TEXT, change TEXT, PRIMARY KEY (pk, sk)) WITHOUT ROWID`,
    );
  }

  /** Adds a change, in place of another one of the same item. */
  add(change: Change): void {
    this.#insert('REPLACE', change);
  }

  /** Adds a change, unless there is another one of the same item. */
  addIfMissing(change: Change): void {
    this.#insert('IGNORE', change);
  }

  #insert(otherwise: 'REPLACE' | 'IGNORE', change: Change): void {
    const item = change.after ?? change.before ?? {};
    const rank = change.after ? rankOf(change.after) : 0;
    this.#database
      .prepare(`INSERT OR ${otherwise} INTO change VALUES (?, ?, ?, ?, ?)`)
      .run(String(item.pk), String(item.sk), rank, String(item.type), JSON.stringify(change));
  }

  has({ pk, sk }: Key): boolean {
    const select = this.#database.prepare('SELECT 1 FROM change WHERE pk = ? AND sk = ?');
    return select.get(pk, sk) !== undefined;
  }

  /** Whether an item of a partition changes. */
  touches(pk: string): boolean {
    return this.#database.prepare('SELECT 1 FROM change WHERE pk = ?').get(pk) !== undefined;
  }

  remove({ pk, sk }: Key): void {
    this.#database.prepare('DELETE FROM change WHERE pk = ? AND sk = ?').run(pk, sk);
  }

  /** The changes in their order, or those of a rank: the needs of an item have a lower one. */
  *changes(rank?: number): Generator<Change> {
    const select = this.#database.prepare(
      'SELECT change FROM change WHERE rank = ifnull(?, rank) ORDER BY rank',
    );
    for (const { change } of select.iterate(rank ?? null)) yield JSON.parse(String(change));
  }

  /** How many changes of each kind there are, by the type of their items. */
  counts(): Record<string, number> {
    const select = this.#database.prepare(
      'SELECT type, count(*) AS number FROM change GROUP BY type ORDER BY type',
    );
    return Object.fromEntries(
      select.all().map(({ type, number }) => [String(type), Number(number)]),
    );
  }
}
