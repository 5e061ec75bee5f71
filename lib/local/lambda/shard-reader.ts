import {
  type _Record,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';

/** Reads one shard of a stream in order, with iterators that DynamoDB issues and lets expire. */
export class ShardReader {
  readonly #client: DynamoDBStreamsClient;
  readonly #streamArn: string;
  readonly #shardId: string;
  #lastRead: string | undefined;
  #iterator: string | undefined;
  #ended = false;

  /** Starts after the sequence number `after`, or at the oldest record if that is undefined. */
  constructor(
    client: DynamoDBStreamsClient,
    shard: { streamArn: string; shardId: string; after: string | undefined },
  ) {
    this.#client = client;
    this.#streamArn = shard.streamArn;
    this.#shardId = shard.shardId;
    this.#lastRead = shard.after;
  }

  /** True once the shard is closed and read to its end. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves with the next records, none if there are none yet. After a rejection, read again. */
  async read(limit: number, abortSignal: AbortSignal): Promise<_Record[]> {
    try {
      this.#iterator ??= await this.#open(abortSignal);
      const { Records = [], NextShardIterator } = await this.#client.send(
        new GetRecordsCommand({ ShardIterator: this.#iterator, Limit: limit }),
        { abortSignal },
      );
      this.#iterator = NextShardIterator;
      this.#ended = NextShardIterator === undefined;
      this.#lastRead = Records.at(-1)?.dynamodb?.SequenceNumber ?? this.#lastRead;
      return Records;
    } catch (error) {
      this.#iterator = undefined;
      // An iterator is valid for 15 minutes, and a batch may be retried for longer.
      if (error instanceof ExpiredIteratorException) return [];
      // Records are kept for 24 hours. The next one is gone, so reading continues with the oldest.
      if (error instanceof TrimmedDataAccessException) {
        this.#lastRead = undefined;
        return [];
      }
      throw error;
    }
  }

  async #open(abortSignal: AbortSignal): Promise<string | undefined> {
    const { ShardIterator } = await this.#client.send(
      new GetShardIteratorCommand({
        StreamArn: this.#streamArn,
        ShardId: this.#shardId,
        ...(this.#lastRead === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: this.#lastRead }),
      }),
      { abortSignal },
    );
    return ShardIterator;
  }
}
