import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../data/database.ts';
import { ServiceError } from '../server/service-error.ts';

/** What a queue of the template sets. */
export interface QueueSettings {
  readonly name: string;
  readonly visibilityTimeoutMs: number;
  readonly retentionMs: number;
  readonly redrive?: { readonly deadLetterQueue: string; readonly maximumReceives: number };
}

/** A message as one receive returns it. */
export interface Message {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly sentMs: number;
  /** Milliseconds since the epoch. */
  readonly firstReceivedMs: number;
  /** Including this receive. */
  readonly receives: number;
  /** The queue that gave the message up, if it was moved to a dead-letter queue. */
  readonly deadLetterSource: string | undefined;
}

/** How many messages of a queue are in which state. */
export interface QueueCounts {
  readonly visible: number;
  readonly inFlight: number;
}

/** A message that has become a dead letter, as the local run prints it. */
export interface DeadLetterLog {
  readonly messageId: string;
  readonly body: string;
  readonly queue: string;
  readonly deadLetterQueue: string;
  readonly receives: number;
}

interface MessageRow {
  readonly id: string;
  readonly body: string;
  readonly sent: number;
  readonly first_received: number | null;
  readonly receives: number;
  readonly dead_letter_source: string | null;
}

/** Of one message, or of all of one batch; 1 MiB since 2025 ("Amazon SQS message quotas"). */
export const maximumMessageBytes = 1_048_576;
/** 12 hours ("Amazon SQS visibility timeout"). */
export const maximumVisibilityTimeoutS = 43_200;
const pollIntervalMs = 50;

// "Amazon SQS API reference, SendMessage" lists the characters allowed; a message may hold no
// others.
const forbiddenCharacters = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const receiptHandlePattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** No message has `attributes`; data that an earlier version has kept have the column. */
const databaseSchema = `
  CREATE TABLE IF NOT EXISTS message (
    id TEXT PRIMARY KEY,
    queue TEXT NOT NULL,
    body TEXT NOT NULL,
    attributes TEXT NOT NULL,
    sent INTEGER NOT NULL,
    visible INTEGER NOT NULL,
    receives INTEGER NOT NULL DEFAULT 0,
    first_received INTEGER,
    receipt_handle TEXT,
    dead_letter_source TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS message_by_visibility ON message (queue, visible);
  CREATE INDEX IF NOT EXISTS message_by_age ON message (queue, sent);
  CREATE INDEX IF NOT EXISTS message_by_receipt ON message (receipt_handle);
`;

/**
 * Standard queues with the semantics of SQS, kept in one SQLite database. Times are in
 * milliseconds. Emits `change` when messages were sent, received or deleted.
 */
export class QueueService extends EventEmitter<{ change: [] }> {
  readonly #database: DatabaseSync;
  /** Prepared once, because each receive that waits runs it 20 times a second. */
  readonly #visibleOrExpired: StatementSync;
  readonly #now: () => number;
  readonly #onDeadLetter: (log: DeadLetterLog) => void;
  readonly #queues = new Map<string, QueueSettings>();

  /** `path` is a file, or `:memory:`. `now` is the clock that makes messages visible and old. */
  constructor({
    path,
    now = Date.now,
    onDeadLetter = () => {},
  }: {
    path: string;
    now?: () => number;
    onDeadLetter?: (log: DeadLetterLog) => void;
  }) {
    super();
    this.#now = now;
    this.#onDeadLetter = onDeadLetter;
    this.#database = openDatabase(path, databaseSchema);
    this.#visibleOrExpired = this.#database.prepare(
      'SELECT 1 FROM message WHERE queue = ? AND (visible <= ? OR sent <= ?) LIMIT 1',
    );
  }

  /** Makes the queue known, or gives it new settings; the messages it already has stay. */
  create(settings: QueueSettings): void {
    this.#queues.set(settings.name, settings);
  }

  /** Forgets the queue with its messages. */
  remove(queue: string): void {
    this.purge(queue);
    this.#queues.delete(queue);
  }

  names(): string[] {
    return [...this.#queues.keys()];
  }

  /** @throws ServiceError `QueueDoesNotExist` */
  settings(queue: string): QueueSettings {
    const settings = this.#queues.get(queue);
    if (settings === undefined) {
      throw new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
    }
    return settings;
  }

  /** @throws ServiceError if the queue does not exist or the message is too large or malformed */
  send(queue: string, { body }: { body: string }): { messageId: string } {
    this.settings(queue);
    if (body === '') {
      throw new ServiceError('MissingRequiredParameterException', 'MessageBody is required.');
    }
    if (Buffer.byteLength(body) > maximumMessageBytes) {
      throw invalid(`Message must be shorter than ${maximumMessageBytes} bytes.`);
    }
    if (forbiddenCharacters.test(body)) {
      throw new ServiceError('InvalidMessageContents', 'The message holds a forbidden character.');
    }
    const messageId = randomUUID();
    const now = this.#now();
    this.#database
      .prepare(
        `INSERT INTO message (id, queue, body, attributes, sent, visible)
         VALUES (?, ?, ?, '{}', ?, ?)`,
      )
      .run(messageId, queue, body, now, now);
    this.emit('change');
    return { messageId };
  }

  /**
   * Resolves with up to `maximum` messages, as soon as there is one; with none after `waitMs`, or
   * when `signal` aborts.
   */
  async receive(
    queue: string,
    options: {
      maximum: number;
      waitMs?: number;
      visibilityTimeoutMs?: number;
      signal?: AbortSignal;
    },
  ): Promise<Message[]> {
    const settings = this.settings(queue);
    const { maximum, signal, waitMs = 0 } = options;
    const timeoutMs = options.visibilityTimeoutMs ?? settings.visibilityTimeoutMs;
    // The wait runs on real time and polls, because a message can also become visible when a test
    // advances the other clock, which sends no notification.
    const endsAt = performance.now() + waitMs;
    while (!signal?.aborted) {
      const messages = this.#take(settings, maximum, timeoutMs);
      const remainingMs = endsAt - performance.now();
      if (messages.length > 0 || remainingMs <= 0) return messages;
      await sleep(Math.min(pollIntervalMs, remainingMs));
    }
    return [];
  }

  /**
   * Deletes the message that this receipt handle was given for. A handle from an older receive
   * deletes nothing and still succeeds, as on SQS: a later receiver must be able to fail and
   * receive it again. A handle outlives its visibility timeout until another receive.
   */
  delete(queue: string, receiptHandle: string): void {
    this.settings(queue);
    checkReceiptHandle(receiptHandle);
    this.#database
      .prepare('DELETE FROM message WHERE queue = ? AND receipt_handle = ?')
      .run(queue, receiptHandle);
    this.emit('change');
  }

  /** @throws ServiceError `MessageNotInflight` when the receive behind the handle is over */
  changeVisibility(queue: string, receiptHandle: string, visibilityTimeoutMs: number): void {
    this.settings(queue);
    checkReceiptHandle(receiptHandle);
    if (!(visibilityTimeoutMs >= 0 && visibilityTimeoutMs <= maximumVisibilityTimeoutS * 1000)) {
      throw invalid(
        `VisibilityTimeout must be between 0 and ${maximumVisibilityTimeoutS} seconds.`,
      );
    }
    const now = this.#now();
    const { changes } = this.#database
      .prepare(
        `UPDATE message SET visible = ? WHERE queue = ? AND receipt_handle = ? AND visible > ?`,
      )
      .run(now + visibilityTimeoutMs, queue, receiptHandle, now);
    if (changes === 0) {
      throw new ServiceError('MessageNotInflight', 'The message is not in flight.');
    }
    this.emit('change');
  }

  attributes(queue: string): QueueCounts {
    this.#expire(this.settings(queue));
    const counts = this.#database
      .prepare(
        `SELECT
           count(*) FILTER (WHERE visible <= :now) AS visible,
           count(*) FILTER (WHERE visible > :now) AS inFlight
         FROM message WHERE queue = :queue`,
      )
      .get({ queue, now: this.#now() });
    return counts as unknown as QueueCounts;
  }

  purge(queue: string): void {
    this.settings(queue);
    this.#database.prepare('DELETE FROM message WHERE queue = ?').run(queue);
    this.emit('change');
  }

  /** Nothing may be called afterwards; a receive that still waits must have been aborted. */
  close(): void {
    this.#database.close();
  }

  #take(settings: QueueSettings, maximum: number, visibilityTimeoutMs: number): Message[] {
    const now = this.#now();
    const { name, retentionMs } = settings;
    if (this.#visibleOrExpired.get(name, now, now - retentionMs) === undefined) return [];
    this.#expire(settings);
    this.#redrive(settings);
    const rows = this.#database
      .prepare(
        `SELECT id, body, sent, first_received, receives, dead_letter_source
         FROM message WHERE queue = ? AND visible <= ? ORDER BY visible, rowid LIMIT ?`,
      )
      .all(name, now, maximum) as unknown as MessageRow[];
    const receive = this.#database.prepare(
      `UPDATE message SET visible = ?, receives = ?, first_received = ?, receipt_handle = ?
       WHERE id = ?`,
    );
    if (rows.length > 0) this.emit('change');
    return rows.map((row) => {
      const receiptHandle = randomUUID();
      const receives = row.receives + 1;
      const firstReceivedMs = row.first_received ?? now;
      receive.run(now + visibilityTimeoutMs, receives, firstReceivedMs, receiptHandle, row.id);
      return {
        messageId: row.id,
        receiptHandle,
        body: row.body,
        sentMs: row.sent,
        firstReceivedMs,
        receives,
        deadLetterSource: row.dead_letter_source ?? undefined,
      };
    });
  }

  // SQS moves a message when it would be received once too often, not when its last visibility
  // timeout ends. It keeps its id, its age and its receive count there.
  #redrive({ name, redrive }: QueueSettings): void {
    if (redrive === undefined) return;
    const { deadLetterQueue, maximumReceives } = redrive;
    const moved = this.#database
      .prepare(
        `UPDATE message SET queue = ?, dead_letter_source = ?, receipt_handle = NULL
         WHERE queue = ? AND visible <= ? AND receives >= ?
         RETURNING id AS messageId, body, receives`,
      )
      .all(deadLetterQueue, name, name, this.#now(), maximumReceives);
    for (const row of moved as unknown as Pick<
      DeadLetterLog,
      'messageId' | 'body' | 'receives'
    >[]) {
      this.#onDeadLetter({ ...row, queue: name, deadLetterQueue });
    }
    if (moved.length > 0) this.emit('change');
  }

  #expire({ name, retentionMs }: QueueSettings): void {
    this.#database
      .prepare('DELETE FROM message WHERE queue = ? AND sent <= ?')
      .run(name, this.#now() - retentionMs);
  }
}

const checkReceiptHandle = (receiptHandle: string): void => {
  if (!receiptHandlePattern.test(receiptHandle)) {
    throw new ServiceError('ReceiptHandleIsInvalid', 'The input receipt handle is invalid.');
  }
};

const invalid = (message: string): ServiceError =>
  new ServiceError('InvalidParameterValueException', message);
