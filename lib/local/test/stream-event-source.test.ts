import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { compilePattern } from '../event-bridge/event-pattern.ts';
import type { BatchLog } from '../lambda/batch.ts';
import { consumeStream, type StreamEventSource } from '../lambda/stream-event-source.ts';
import { listen } from '../server/listen.ts';

const streamArn = 'arn:aws:dynamodb:a:b:table/payments/stream/now';

/** The records of each: the keys of the items that have changed, which are their numbers too. */
let shards: Record<string, string[]>;
/** What becomes of the next read: the name of an error, or `stalled`. */
let fault: string | undefined;
let endpoint: string;
let logs: BatchLog[];
let batches: DynamoDBRecord[][];

beforeEach(async () => {
  [fault, logs, batches] = [undefined, [], []];
  // DynamoDB Local closes no shard and lets no iterator expire within a test.
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1];
    const input = (await json(request).catch(() => ({}))) as Record<string, string>;
    const failure = operation === 'GetRecords' ? fault : undefined;
    // An iterator that has expired stays so.
    if (failure === 'stalled' || operation === 'GetShardIterator') fault = undefined;
    if (failure === 'stalled') response.write('{');
    else if (failure) response.writeHead(400).end(JSON.stringify({ __type: failure }));
    else response.end(JSON.stringify(outputOf(operation, input)));
  });
  const { url, stop } = await listen(server, 0);
  onTestFinished(stop);
  endpoint = url;
});

const recordOf = (key: string) => ({
  eventName: 'INSERT',
  eventSource: 'aws:dynamodb',
  awsRegion: 'ddblocal',
  dynamodb: {
    ApproximateCreationDateTime: 1_767_225_600,
    SequenceNumber: key,
    Keys: { pk: { S: key } },
    // The SDK decodes binary values, at any depth.
    NewImage: { attempts: { N: '3' }, signed: { M: { hashes: { L: [{ B: 'AQI=' }] } } } },
  },
});

const outputOf = (operation: string | undefined, input: Record<string, string>): object => {
  if (operation === 'DescribeStream') {
    const Shards = Object.keys(shards).map((ShardId) => ({ ShardId }));
    return { StreamDescription: { Shards } };
  }
  const { ShardId = '', SequenceNumber = '', ShardIterator = `${ShardId}/0` } = input;
  const [id = '', place = ''] = ShardIterator.split('/');
  const records = shards[id] ?? [];
  // A shard is closed when it has a successor.
  const isOpen = id === Object.keys(shards).sort().at(-1);
  // Without the number of a record this is 0: the oldest one.
  const after = records.indexOf(SequenceNumber) + 1;
  if (operation === 'GetShardIterator') return { ShardIterator: `${id}/${after}` };
  const next = Math.min(Number(place) + Number(input.Limit), records.length);
  return {
    Records: records.slice(Number(place), next).map(recordOf),
    ...((next < records.length || isOpen) && { NextShardIterator: `${id}/${next}` }),
  };
};

const consume = (
  settings: Partial<StreamEventSource>,
  handler: (records: DynamoDBRecord[]) => unknown = () => undefined,
): void => {
  const invoke = async (event: unknown) => {
    const { Records } = event as { Records: DynamoDBRecord[] };
    batches.push(Records);
    return handler(Records);
  };
  const target = { name: 'relay-outbox', invoke };
  const source = { endpoint, streamArn, target, batchSize: 100, filters: [], ...settings };
  const consumer = consumeStream(source, (log) => logs.push(log));
  onTestFinished(() => consumer.stop());
};

/** The keys of each batch. */
const seen = () =>
  batches.map((batch) => batch.map(({ dynamodb }) => dynamodb?.Keys?.pk?.S).join());

test('a stream arrives in the shape of a DynamoDB event, values in wire form', async () => {
  shards = { 'shardId-1': ['a'] };
  consume({});
  await expect.poll(() => logs).toHaveLength(1);
  expect(batches).toEqual([
    [{ ...recordOf('a'), awsRegion: 'us-east-1', eventSourceARN: streamArn }],
  ]);
  expect(logs).toMatchObject([
    { source: 'payments', messageIds: ['a'], subjects: new Map([['a', 'a']]), failed: [] },
  ]);
});

test('a stream is retried from the lowest failure that the function reports, after a pause', async () => {
  const records = ['a', 'b', 'c'];
  shards = { 'shardId-1': records };
  let isFailing = true;
  consume({}, (batch) => {
    const itemIdentifier = batch.at(-2)?.dynamodb?.SequenceNumber;
    return { batchItemFailures: isFailing ? [{ itemIdentifier }] : [] };
  });
  await expect.poll(() => seen().slice(0, 3)).toEqual(['a,b,c', 'b,c', 'b,c']);
  await sleep(500);
  expect(batches.length).toBeLessThan(10);
  isFailing = false;
  records.push('d');
  await expect.poll(() => seen().at(-1)).toBe('d');
});

test('a stream passes on only what the filters want', async () => {
  shards = { 'shardId-1': ['a', 'b', 'c'] };
  const filters = ['b', 'c'].map((key) =>
    compilePattern({ eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [key] } } } }),
  );
  consume({ filters });
  await expect.poll(seen).toEqual(['b,c']);
});

test('a stream goes on with the successors of its shard, which are listed in any order', async () => {
  const records = ['a', 'b'];
  shards = { 'shardId-1': records };
  consume({ batchSize: 1 });
  await expect.poll(seen).toEqual(['a', 'b']);
  shards = { 'shardId-3': ['d'], 'shardId-2': ['c'], 'shardId-1': records };
  await expect.poll(seen).toEqual(['a', 'b', 'c', 'd']);
});

test.each([
  // The SDK itself reads again after a response that has no end.
  ['stalled', 0],
  ['ExpiredIteratorException', 1],
])('a stream goes on after %s, and reports %i errors', async (name, errors) => {
  shards = { 'shardId-1': ['a', 'b', 'c'] };
  consume({ batchSize: 1 }, () => {
    if (batches.length === 1) fault = name;
  });
  await expect.poll(seen).toEqual(['a', 'b', 'c']);
  expect(logs.filter(({ messageIds }) => messageIds.length === 0)).toHaveLength(errors);
});
