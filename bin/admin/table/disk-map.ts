import { DatabaseSync } from 'node:sqlite';
import type { Item } from './scan.ts';

/**
 * Values by the keys of items, in a temporary file of SQLite's own, so that memory does not grow
 * with their number. Values are what JSON holds.
 */
export class DiskMap<Value> {
  readonly #database = new DatabaseSync('');

  constructor() {
    this.#database.exec(
      `PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;
      CREATE TABLE entry (pk TEXT, sk TEXT, rank INTEGER, value TEXT, PRIMARY KEY (pk, sk))`,
    );
  }

  /** @param rank where it is in the order of `values`, before those that come later */
  set(key: Item, value: Value, rank = 0): void {
    this.#insert('REPLACE', key, value, rank);
  }

  setIfMissing(key: Item, value: Value, rank = 0): void {
    this.#insert('IGNORE', key, value, rank);
  }

  #insert(otherwise: 'REPLACE' | 'IGNORE', { pk, sk }: Item, value: Value, rank: number): void {
    this.#database
      .prepare(`INSERT OR ${otherwise} INTO entry VALUES (?, ?, ?, ?)`)
      .run(String(pk), String(sk), rank, JSON.stringify(value));
  }

  get({ pk, sk }: Item): Value | undefined {
    const select = this.#database.prepare('SELECT value FROM entry WHERE pk = ? AND sk = ?');
    const entry = select.get(String(pk), String(sk));
    return entry && JSON.parse(String(entry.value));
  }

  delete({ pk, sk }: Item): void {
    const remove = this.#database.prepare('DELETE FROM entry WHERE pk = ? AND sk = ?');
    remove.run(String(pk), String(sk));
  }

  /** The values of a partition whose sort keys begin with a text; all unless given. */
  partition(pk: string, sk = ''): Value[] {
    const select = this.#database.prepare(
      'SELECT value FROM entry WHERE pk = ? AND sk BETWEEN ? AND ?',
    );
    const found = select.all(pk, sk, `${sk}\u{10ffff}`);
    return found.map(({ value }) => JSON.parse(String(value)));
  }

  /** All values in the order of their ranks, or those of a rank. */
  *values(rank?: number): Generator<Value> {
    const select = this.#database.prepare(
      'SELECT value FROM entry WHERE rank = ifnull(?, rank) ORDER BY rank, rowid',
    );
    for (const { value } of select.iterate(rank ?? null)) yield JSON.parse(String(value));
  }
}
