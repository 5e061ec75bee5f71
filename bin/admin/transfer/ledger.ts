import { DatabaseSync } from 'node:sqlite';
import type { Item } from '../table/scan.ts';

/** A line that waits for others to be settled before it. */
export interface WaitingLine {
  readonly number: number;
  readonly value: unknown;
}

/**
 * What an import remembers of the lines of its file: in a temporary file of SQLite's own, so that
 * its memory does not grow with the file.
 */
export class Ledger {
  readonly #database = new DatabaseSync('');

  constructor() {
    this.#database.exec(
      `PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;
      CREATE TABLE first (pk TEXT, sk TEXT, line INTEGER, PRIMARY KEY (pk, sk)) WITHOUT ROWID;
      CREATE TABLE waiting (rank INTEGER, line INTEGER, value TEXT, PRIMARY KEY (rank, line)) WITHOUT ROWID`,
    );
  }

  /** Has a line wait until those of lower ranks are settled. */
  defer(rank: number, { number, value }: WaitingLine): void {
    this.#database
      .prepare('INSERT INTO waiting VALUES (?, ?, ?)')
      .run(rank, number, JSON.stringify(value));
  }

  /** The lines of a rank, in their order. */
  *waiting(rank: number): Generator<WaitingLine> {
    const rows = this.#database.prepare(
      'SELECT line, value FROM waiting WHERE rank = ? ORDER BY line',
    );
    for (const { line, value } of rows.iterate(rank)) {
      yield { number: Number(line), value: JSON.parse(String(value)) };
    }
  }

  /** Saves the line whose item is in the table now, unless an earlier line has named that item. */
  add({ pk, sk }: Item, line: number): void {
    this.#database
      .prepare('INSERT OR IGNORE INTO first VALUES (?, ?, ?)')
      .run(String(pk), String(sk), line);
  }

  /** The line that named an item first and was not bad. */
  firstLine({ pk, sk }: Item): number | undefined {
    const row = this.#database
      .prepare('SELECT line FROM first WHERE pk = ? AND sk = ?')
      .get(String(pk), String(sk));
    return row && Number(row.line);
  }
}
