import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import { tableOfStream } from '../aws-account.ts';
import { clientSettings } from '../dynamodb/client-settings.ts';
import { pause } from '../pause.ts';
import { type BatchLog, unreadable } from './batch.ts';
import { ShardConsumer, type ShardConsumerSettings } from './shard-consumer.ts';
import { ShardReader } from './shard-reader.ts';

/** A stream, the function that it feeds, and how. */
export interface StreamEventSource extends ShardConsumerSettings {
  /** Where DynamoDB answers. */
  readonly endpoint: string;
}

const firstDiscoveryMs = 1000;
/** A shard gets a successor after hours. */
const discoveryMs = 10_000;

/**
 * Feeds a function from a table's stream until stopped: each shard in order, one batch at a time.
 *
 * `stop` resolves when the batches under way have ended; stop the function as well to end them
 * soon.
 */
export const consumeStream = (
  source: StreamEventSource,
  onBatch: (log: BatchLog) => void,
): { stop: () => Promise<void> } => {
  const stopping = new AbortController();
  const client = new DynamoDBStreamsClient(clientSettings(source.endpoint));
  const consumed = consumeShards(source, client, onBatch, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await consumed;
      client.destroy();
    },
  };
};

const consumeShards = async (
  source: StreamEventSource,
  client: DynamoDBStreamsClient,
  onBatch: (log: BatchLog) => void,
  signal: AbortSignal,
): Promise<void> => {
  const { streamArn, checkpoint } = source;
  const consumed = new Map<string, Promise<void>>();
  while (!signal.aborted) {
    const shards = await listShards(client, streamArn, signal).catch((error) => {
      if (!signal.aborted) onBatch(unreadable(tableOfStream(streamArn), source.target, error));
      return [];
    });
    for (const { id, parentId } of shards) {
      if (consumed.has(id)) continue;
      const after = checkpoint.load(id);
      const reader = new ShardReader(client, { streamArn, shardId: id, after });
      const consumer = new ShardConsumer(source, id, reader, onBatch, signal);
      // An item that moved from one shard to another changed in the parent first. A parent that is
      // not listed any more is older than its records may get.
      const parent = consumed.get(parentId ?? '') ?? Promise.resolve();
      consumed.set(
        id,
        parent.then(() => consumer.run()),
      );
    }
    await pause(consumed.size === 0 ? firstDiscoveryMs : discoveryMs, signal);
  }
  await Promise.all(consumed.values());
};

/** Parents come before their children, because a shard's id begins with its time of creation. */
const listShards = async (
  client: DynamoDBStreamsClient,
  streamArn: string,
  abortSignal: AbortSignal,
): Promise<{ id: string; parentId: string | undefined }[]> => {
  const shards: Shard[] = [];
  let ExclusiveStartShardId: string | undefined;
  do {
    const { StreamDescription } = await client.send(
      new DescribeStreamCommand({ StreamArn: streamArn, ExclusiveStartShardId }),
      { abortSignal },
    );
    shards.push(...(StreamDescription?.Shards ?? []));
    ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
  } while (ExclusiveStartShardId !== undefined);
  return shards
    .map(({ ShardId = '', ParentShardId }) => ({ id: ShardId, parentId: ParentShardId }))
    .toSorted((a, b) => a.id.localeCompare(b.id));
};
