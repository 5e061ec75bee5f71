import { tableOfStream } from '../aws-account.ts';
import { type EventPattern, passes } from '../event-bridge/event-pattern.ts';
import { pause } from '../pause.ts';
import { type BatchLog, type InvocationTarget, invokeBatch, unreadable } from './batch.ts';
import { type GivenUp, givenUpFor } from './failure-record.ts';
import type { ShardReader } from './shard-reader.ts';
import { type StreamRecord, toStreamRecord } from './stream-record.ts';

/** Remembers, by shard, the last sequence number that is dealt with. */
export interface Checkpoint {
  readonly load: (shardId: string) => string | undefined;
  readonly save: (shardId: string, sequenceNumber: string) => void;
}

/** What an event source mapping sets for a stream. */
export interface ShardConsumerSettings {
  readonly streamArn: string;
  readonly target: InvocationTarget;
  readonly batchSize: number;
  /** Older records are given up; Infinity never does. */
  readonly maximumRecordAgeMs: number;
  /**
   * Called before the checkpoint is saved, so that a crash repeats the call and does not lose it.
   */
  readonly onGivenUp?: (givenUp: GivenUp) => void;
  readonly filters: readonly EventPattern[];
  readonly checkpoint: Checkpoint;
}

const idleMs = 150;
// Each read costs a request. After some seconds without a record, one a second is enough.
const longestIdleMs = 1000;
const idleGrowth = 1.25;
const firstBackoffMs = 100;
const longestBackoffMs = 5000;

/**
 * Hands the records of one shard to a function, in order and one batch at a time. A record counts
 * as done only after it succeeded or was given up, so that a crash repeats records and skips none.
 */
export class ShardConsumer {
  readonly #settings: ShardConsumerSettings;
  readonly #shardId: string;
  readonly #reader: ShardReader;
  readonly #onBatch: (log: BatchLog) => void;
  readonly #signal: AbortSignal;

  constructor(
    settings: ShardConsumerSettings,
    shardId: string,
    reader: ShardReader,
    onBatch: (log: BatchLog) => void,
    signal: AbortSignal,
  ) {
    this.#settings = settings;
    this.#shardId = shardId;
    this.#reader = reader;
    this.#onBatch = onBatch;
    this.#signal = signal;
  }

  /** Resolves when the shard is closed and read to its end, or when the signal aborts. */
  async run(): Promise<void> {
    let quietMs = idleMs;
    while (!this.#signal.aborted && !this.#reader.ended) {
      const records = await this.#read();
      await this.#deliver(records.filter((record) => passes(record, this.#settings.filters)));
      const last = records.at(-1);
      if (last === undefined) {
        await pause(quietMs, this.#signal);
        quietMs = Math.min(quietMs * idleGrowth, longestIdleMs);
      } else {
        quietMs = idleMs;
        // A stop leaves records undelivered, and they must be read again.
        if (!this.#signal.aborted) this.#save(last);
      }
    }
  }

  async #read(): Promise<StreamRecord[]> {
    const { streamArn, target, batchSize } = this.#settings;
    for (let failures = 0; !this.#signal.aborted; failures += 1) {
      try {
        const records = await this.#reader.read(batchSize, this.#signal);
        return records.map((record) => toStreamRecord(record, streamArn));
      } catch (error) {
        if (this.#signal.aborted) break;
        this.#onBatch(unreadable(tableOfStream(streamArn), target, error));
        await pause(backoffMs(failures), this.#signal);
      }
    }
    return [];
  }

  /** Returns when every record has succeeded or was given up, or when the signal aborts. */
  async #deliver(batch: readonly StreamRecord[]): Promise<void> {
    const { maximumRecordAgeMs } = this.#settings;
    let remaining = batch;
    let tried = { invocations: 0, threw: false };
    while (remaining.length > 0 && !this.#signal.aborted) {
      // The oldest come first.
      const tooOld = remaining.filter((record) => ageMs(record) > maximumRecordAgeMs);
      if (tooOld.length > 0) {
        this.#giveUp(tooOld, tried);
        remaining = remaining.slice(tooOld.length);
        continue;
      }
      const { succeeded, threw } = await this.#invoke(remaining);
      tried = { invocations: tried.invocations + 1, threw };
      const lastSucceeded = succeeded.at(-1);
      if (lastSucceeded !== undefined) {
        this.#save(lastSucceeded);
        remaining = remaining.slice(succeeded.length);
        tried = { invocations: 0, threw: false };
      } else if (threw && remaining.length > 1) {
        const half = Math.ceil(remaining.length / 2);
        await this.#deliver(remaining.slice(0, half));
        remaining = remaining.slice(half);
        tried = { invocations: 0, threw: false };
      } else {
        await pause(backoffMs(tried.invocations - 1), this.#signal);
      }
    }
  }

  /** The records before the lowest failure have succeeded; all others are delivered again. */
  async #invoke(
    batch: readonly StreamRecord[],
  ): Promise<{ succeeded: readonly StreamRecord[]; threw: boolean }> {
    const { streamArn, target } = this.#settings;
    const log = await invokeBatch({
      source: tableOfStream(streamArn),
      target,
      records: new Map(batch.map((record) => [record.dynamodb.SequenceNumber, record])),
      subjects: subjectsOf(batch),
    });
    this.#onBatch(log);
    const lowestFailure = log.messageIds.findIndex((id) => log.failed.includes(id));
    return {
      succeeded: lowestFailure === -1 ? batch : batch.slice(0, lowestFailure),
      threw: log.error !== undefined,
    };
  }

  // One record that never succeeds would hold up its shard for ever. Without an on-failure
  // destination, the log is the only trace of it.
  #giveUp(records: readonly StreamRecord[], tried: Pick<GivenUp, 'invocations' | 'threw'>): void {
    const { streamArn, target, onGivenUp } = this.#settings;
    const functionName = target.name;
    const shardId = this.#shardId;
    onGivenUp?.({ functionName, streamArn, shardId, records, ...tried });
    this.#onBatch({
      source: tableOfStream(streamArn),
      functionName,
      messageIds: records.map(({ dynamodb }) => dynamodb.SequenceNumber),
      subjects: subjectsOf(records),
      failed: [],
      givenUp: true,
      durationMs: 0,
      error: givenUpFor,
    });
    const last = records.at(-1);
    if (last !== undefined) this.#save(last);
  }

  #save({ dynamodb }: StreamRecord): void {
    this.#settings.checkpoint.save(this.#shardId, dynamodb.SequenceNumber);
  }
}

/** The keys of the items that have changed. */
const subjectsOf = (records: readonly StreamRecord[]): Map<string, string> =>
  new Map(
    records.map(({ dynamodb: { SequenceNumber, Keys = {} } }) => [
      SequenceNumber,
      Object.values(Keys)
        .flatMap((value) => Object.values(value))
        .join(' '),
    ]),
  );

/** By the clock of DynamoDB, which a test cannot advance. */
const ageMs = ({ dynamodb }: StreamRecord): number =>
  Date.now() - (dynamodb.ApproximateCreationDateTime ?? 0) * 1000;

const backoffMs = (failures: number): number =>
  Math.min(firstBackoffMs * 2 ** failures, longestBackoffMs);
