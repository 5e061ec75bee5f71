import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../data/database.ts';

/**
 * An event as targets get it: the members of "AWS service event metadata" in the EventBridge user
 * guide.
 */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** ISO 8601 in UTC, in whole seconds. */
  readonly time: string;
  readonly region: string;
  readonly resources: string[];
  readonly detail: object;
  /** Only of an event that comes from an archive. */
  readonly 'replay-name'?: string;
}

/** The events in the archives. */
export class EventStore {
  readonly #database: DatabaseSync;

  /** `path` is a file, or `:memory:`. */
  constructor(path: string) {
    this.#database = openDatabase(
      path,
      `CREATE TABLE IF NOT EXISTS event (
        archive TEXT NOT NULL, time INTEGER NOT NULL, body TEXT NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS event_by_time ON event (archive, time);`,
    );
  }

  add(archive: string, event: BusEvent): void {
    this.#database
      .prepare('INSERT INTO event VALUES (?, ?, ?)')
      .run(archive, Date.parse(event.time), JSON.stringify(event));
  }

  /** The events of a span of time, both ends included, the oldest first. */
  read(archive: string, fromMs: number, toMs: number): BusEvent[] {
    return this.#database
      .prepare(
        'SELECT body FROM event WHERE archive = ? AND time BETWEEN ? AND ? ORDER BY time, rowid',
      )
      .all(archive, fromMs, toMs)
      .map(({ body }) => JSON.parse(String(body)));
  }

  close(): void {
    this.#database.close();
  }
}
