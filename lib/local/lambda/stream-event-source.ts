import { setTimeout as sleep } from 'node:timers/promises';
import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { region, tableOfStream } from '../aws-account.ts';
import { clientSettings } from '../dynamodb/client-settings.ts';
import type { EventPattern } from '../event-bridge/event-pattern.ts';
import {
  type BatchLog,
  type EventSource,
  type InvocationTarget,
  invokeBatch,
  startSource,
} from './batch.ts';

export interface StreamEventSource {
  readonly endpoint: string;
  readonly streamArn: string;
  readonly target: InvocationTarget;
  readonly batchSize: number;
  /** Alternatives; without any, every record passes. */
  readonly filters: readonly EventPattern[];
}

/** A record as Lambda's event carries it: attribute values in wire form, binary ones in base64. */
type StreamRecord = DynamoDBRecord & {
  readonly dynamodb: { readonly SequenceNumber: string };
};

/** A shard gets a successor after four hours. */
const discoveryMs = 1000;
const idleMs = 150;
// Each read costs a request. After some seconds without a record, one a second is enough.
const longestIdleMs = 1000;
const idleGrowth = 1.25;
const firstBackoffMs = 100;
const longestBackoffMs = 5000;

/**
 * Feeds a function from a table's stream until stopped: from the oldest record on, one shard after
 * another (DynamoDB Local has one that is open), one batch at a time.
 */
export const consumeStream = (
  source: StreamEventSource,
  onBatch: (log: BatchLog) => void,
): EventSource => startSource((signal) => new StreamConsumer(source, onBatch, signal).run());

class StreamConsumer {
  readonly #source: StreamEventSource;
  readonly #client: DynamoDBStreamsClient;
  readonly #onBatch: (log: BatchLog) => void;
  readonly #signal: AbortSignal;

  constructor(source: StreamEventSource, onBatch: (log: BatchLog) => void, signal: AbortSignal) {
    this.#source = source;
    this.#client = new DynamoDBStreamsClient(clientSettings(source.endpoint));
    this.#onBatch = onBatch;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const read = new Set<string>();
    while (!this.#signal.aborted) {
      const shards = await this.#listShards().catch((error) => this.#report(error));
      const next = shards?.find((shard) => !read.has(shard));
      if (next === undefined) await pause(discoveryMs, this.#signal);
      else {
        await this.#consume(next);
        read.add(next);
      }
    }
    this.#client.destroy();
  }

  /** Parents come before their children, because a shard's id begins with its time of creation. */
  async #listShards(): Promise<string[]> {
    const { StreamDescription } = await this.#client.send(
      new DescribeStreamCommand({ StreamArn: this.#source.streamArn }),
      { abortSignal: this.#signal },
    );
    return (StreamDescription?.Shards ?? []).map(({ ShardId = '' }) => ShardId).toSorted();
  }

  /** Resolves when the shard is closed and read to its end, or when the signal aborts. */
  async #consume(shardId: string): Promise<void> {
    let iterator: string | undefined;
    let lastRead: string | undefined;
    let quietMs = idleMs;
    for (let failures = 0; !this.#signal.aborted; ) {
      try {
        iterator ??= await this.#open(shardId, lastRead);
        const { Records = [], NextShardIterator } = await this.#client.send(
          new GetRecordsCommand({ ShardIterator: iterator, Limit: this.#source.batchSize }),
          { abortSignal: this.#signal },
        );
        const records = Records.map((each) => toStreamRecord(each, this.#source.streamArn));
        const { filters } = this.#source;
        const isWanted = (record: StreamRecord) => filters.some((matches) => matches(record));
        await this.#deliver(filters.length === 0 ? records : records.filter(isWanted));
        lastRead = records.at(-1)?.dynamodb.SequenceNumber ?? lastRead;
        if (NextShardIterator === undefined) return;
        iterator = NextShardIterator;
        failures = 0;
        if (records.length === 0) await pause(quietMs, this.#signal);
        quietMs = records.length > 0 ? idleMs : Math.min(quietMs * idleGrowth, longestIdleMs);
      } catch (error) {
        this.#report(error);
        // An iterator is valid for 15 minutes, and a batch may be retried for longer.
        iterator = undefined;
        await pause(backoffMs(failures), this.#signal);
        failures += 1;
      }
    }
  }

  /** An iterator after the record that was read last, or at the oldest one. */
  async #open(ShardId: string, lastRead: string | undefined): Promise<string | undefined> {
    const place =
      lastRead === undefined
        ? ({ ShardIteratorType: 'TRIM_HORIZON' } as const)
        : ({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: lastRead } as const);
    const { ShardIterator } = await this.#client.send(
      new GetShardIteratorCommand({ StreamArn: this.#source.streamArn, ShardId, ...place }),
      { abortSignal: this.#signal },
    );
    return ShardIterator;
  }

  /** Returns when every record has succeeded, or when the signal aborts. */
  async #deliver(batch: readonly StreamRecord[]): Promise<void> {
    let remaining = batch;
    for (let failures = 0; remaining.length > 0 && !this.#signal.aborted; failures += 1) {
      const { streamArn, target } = this.#source;
      const records = remaining.map((each) => [each.dynamodb.SequenceNumber, each] as const);
      const subjects = subjectsOf(remaining);
      const log = await invokeBatch(tableOfStream(streamArn), target, new Map(records), subjects);
      this.#onBatch(log);
      // The records before the lowest failure have succeeded; all others are delivered again.
      const lowestFailure = log.messageIds.findIndex((id) => log.failed.includes(id));
      remaining = lowestFailure === -1 ? [] : remaining.slice(lowestFailure);
      if (remaining.length > 0) await pause(backoffMs(failures), this.#signal);
    }
  }

  /** Reports that the stream could not be read; the reader tries again by itself. */
  #report(error: unknown): undefined {
    if (this.#signal.aborted) return;
    this.#onBatch({
      source: tableOfStream(this.#source.streamArn),
      functionName: this.#source.target.name,
      messageIds: [],
      subjects: new Map(),
      failed: [],
      durationMs: 0,
      error: String(error),
    });
  }
}

/** Turns a record of the Streams API into one of a Lambda event. */
const toStreamRecord = (record: _Record, streamArn: string): StreamRecord => {
  const createdAt = record.dynamodb?.ApproximateCreationDateTime;
  const event = {
    ...record,
    // DynamoDB Local sends 'ddblocal', which does not occur on AWS.
    awsRegion: region,
    dynamodb: {
      ...record.dynamodb,
      ApproximateCreationDateTime: createdAt && createdAt.getTime() / 1000,
    },
    eventSourceARN: streamArn,
  };
  // The SDK decodes binary values, at any depth, and leaves all other values as they are.
  return JSON.parse(
    JSON.stringify(event, (_key, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ),
  );
};

const subjectsOf = (records: readonly StreamRecord[]): Map<string, string> =>
  new Map(
    records.map(({ dynamodb: { SequenceNumber, Keys = {} } }) => [
      SequenceNumber,
      Object.values(Keys)
        .flatMap((value) => Object.values(value))
        .join(' '),
    ]),
  );

const pause = async (durationMs: number, signal: AbortSignal): Promise<void> => {
  await sleep(durationMs, undefined, { signal }).catch(() => {});
};

const backoffMs = (failures: number): number =>
  Math.min(firstBackoffMs * 2 ** failures, longestBackoffMs);
