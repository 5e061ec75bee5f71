import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../data/database.ts';

/** How far each consumer of a stream has come: by shard, the last sequence number dealt with. */
export class StreamCheckpoints {
  readonly #database: DatabaseSync;

  /** `path` is a file, or `:memory:`. */
  constructor(path: string) {
    this.#database = openDatabase(
      path,
      `CREATE TABLE IF NOT EXISTS checkpoint (
        consumer TEXT NOT NULL, shard TEXT NOT NULL, sequence_number TEXT NOT NULL,
        PRIMARY KEY (consumer, shard)
      ) STRICT;`,
    );
  }

  /** The checkpoints of one consumer. */
  of(consumer: string): {
    load: (shardId: string) => string | undefined;
    save: (shardId: string, sequenceNumber: string) => void;
  } {
    const select = this.#database.prepare(
      'SELECT sequence_number FROM checkpoint WHERE consumer = ? AND shard = ?',
    );
    const replace = this.#database.prepare('INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?)');
    return {
      load: (shardId) => {
        const row = select.get(consumer, shardId) as { sequence_number: string } | undefined;
        return row?.sequence_number;
      },
      save: (shardId, sequenceNumber) => {
        replace.run(consumer, shardId, sequenceNumber);
      },
    };
  }

  close(): void {
    this.#database.close();
  }
}
