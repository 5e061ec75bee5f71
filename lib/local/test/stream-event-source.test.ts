import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type DynamodbLocal, startDynamodb } from '../dynamodb/dynamodb.ts';
import { compilePattern } from '../event-bridge/event-pattern.ts';
import type { BatchLog } from '../lambda/batch.ts';
import { consumeStream, type StreamEventSource } from '../lambda/stream-event-source.ts';
import { listen } from '../server/listen.ts';
import { clientOf } from './client-of.ts';

type Stream = Pick<StreamEventSource, 'endpoint' | 'streamArn'>;

let logs: BatchLog[];
let batches: DynamoDBRecord[][];
beforeEach(() => {
  logs = [];
  batches = [];
});

const consume = (
  stream: Stream,
  settings: Partial<StreamEventSource> = {},
  handler: (records: DynamoDBRecord[]) => unknown = () => undefined,
): void => {
  const invoke = async (event: unknown) => {
    const { Records } = event as { Records: DynamoDBRecord[] };
    batches.push(Records);
    return handler(Records);
  };
  const target = { name: 'relay-outbox', invoke };
  const source = { ...stream, target, batchSize: 100, filters: [], ...settings };
  const consumer = consumeStream(source, (log) => logs.push(log));
  onTestFinished(() => consumer.stop());
};

const key = (record: DynamoDBRecord | undefined) => record?.dynamodb?.Keys?.pk?.S;
const keys = () => batches.map((batch) => batch.map(key));
const seen = (expected: string[][]) => expect.poll(keys).toEqual(expected);
const failing = (record: DynamoDBRecord | undefined) => ({
  batchItemFailures: [{ itemIdentifier: record?.dynamodb?.SequenceNumber }],
});

describe('the stream of a table', () => {
  let dynamodb: DynamodbLocal;
  beforeAll(async () => {
    dynamodb = await startDynamodb();
  });
  afterAll(() => dynamodb.stop());

  let stream: Stream;
  let putItem: (item: object) => Promise<unknown>;
  beforeEach(async () => {
    const TableName = `table-${randomUUID()}`;
    const client = clientOf(DynamoDBClient, dynamodb.url);
    const { TableDescription } = await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      }),
    );
    stream = { endpoint: dynamodb.url, streamArn: TableDescription?.LatestStreamArn ?? '' };
    putItem = (Item) => client.send(new PutItemCommand({ TableName, Item: { ...Item } }));
  });
  const put = async (...pks: string[]) => {
    for (const pk of pks) await putItem({ pk: { S: pk } });
  };

  test('arrives in the shape of a DynamoDB event, values in wire form', async () => {
    const attempts = { N: '3' };
    const hashes = (bytes: unknown) => ({ M: { hashes: { L: [{ B: bytes }] } } });
    await putItem({ pk: { S: 'OFFER' }, attempts, signed: hashes(new Uint8Array([1, 2])) });
    consume(stream);
    await expect.poll(() => logs).toHaveLength(1);
    const [record] = batches[0] ?? [];
    expect(record).toMatchObject({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: stream.streamArn,
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { pk: { S: 'OFFER' } },
        NewImage: { pk: { S: 'OFFER' }, attempts, signed: hashes('AQI=') },
        SequenceNumber: expect.any(String),
      },
    });
    const id = String(record?.dynamodb?.SequenceNumber);
    expect(logs).toMatchObject([
      { messageIds: [id], subjects: new Map([[id, 'OFFER']]), failed: [] },
    ]);
  });

  test('is retried from the lowest failure that the function reports, after a pause', async () => {
    await put('a', 'b', 'c');
    let isFailing = true;
    consume(stream, {}, (records) => (isFailing ? failing(records.at(-2)) : undefined));
    await expect.poll(() => keys().slice(1, 3).join(' ')).toBe('b,c b,c');
    await sleep(500);
    expect(batches.length).toBeLessThan(10);
    isFailing = false;
    await put('d');
    await expect.poll(() => keys().at(-1)).toEqual(['d']);
  });

  test('passes on only what the filters want', async () => {
    await put('CLAIM#1', 'OFFER#1', 'CLAIM#2');
    const pattern = { eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: ['OFFER#1'] } } } };
    consume(stream, { filters: [compilePattern(pattern)] });
    await seen([['OFFER#1']]);
  });
});

/**
 * What DynamoDB Local does not do within a test: shards that close, iterators that expire, a
 * server that does not respond.
 */
describe('a stream in trouble', () => {
  interface FakeShard {
    readonly records: string[];
    readonly open?: boolean;
  }
  let shards: Record<string, FakeShard>;
  /** The error names of the next responses, or `silent` and `stalled`. */
  let faults: string[];
  let stream: Stream;
  beforeEach(async () => {
    faults = [];
    const server = createServer(async (request, response) => {
      const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      const input = (await json(request).catch(() => ({}))) as Record<string, string>;
      const fault = operation === 'GetRecords' ? faults.shift() : undefined;
      if (fault === 'silent') return;
      if (fault === 'stalled') response.write('{');
      else if (fault) response.writeHead(400).end(JSON.stringify({ __type: fault }));
      else response.end(JSON.stringify(outputOf(operation, input)));
    });
    const { url, stop } = await listen(server, 0);
    onTestFinished(stop);
    stream = { endpoint: url, streamArn: 'arn:aws:dynamodb:a:b:table/payments/stream/now' };
  });

  const outputOf = (operation: string, input: Record<string, string>): object => {
    if (operation === 'DescribeStream') {
      const Shards = Object.keys(shards).map((ShardId) => ({ ShardId }));
      return { StreamDescription: { Shards } };
    }
    if (operation === 'GetShardIterator') {
      const { ShardId = '', ShardIteratorType, SequenceNumber = '' } = input;
      const { records = [] } = shards[ShardId] ?? {};
      const isStart = ShardIteratorType === 'TRIM_HORIZON';
      return {
        ShardIterator: `${ShardId}/${isStart ? 0 : records.indexOf(SequenceNumber) + 1}`,
      };
    }
    const [shardId = '', at = ''] = input.ShardIterator?.split('/') ?? [];
    const { records: all = [], open = false } = shards[shardId] ?? {};
    const records = all.slice(Number(at), Number(at) + Number(input.Limit));
    const next = Number(at) + records.length;
    return {
      Records: records.map((SequenceNumber) => ({
        eventName: 'INSERT',
        dynamodb: { SequenceNumber, Keys: { pk: { S: SequenceNumber } } },
      })),
      ...((next < all.length || open) && { NextShardIterator: `${shardId}/${next}` }),
    };
  };

  test('goes on with the successor of its shard, which is listed in any order', async () => {
    shards = { 'shardId-1': { records: ['a', 'b'], open: true } };
    consume(stream, { batchSize: 1 });
    await seen([['a'], ['b']]);
    shards = {
      'shardId-2': { records: ['c', 'd'], open: true },
      'shardId-1': { records: ['a', 'b'] },
    };
    await seen([['a'], ['b'], ['c'], ['d']]);
  });

  test.each(['ExpiredIteratorException', 'silent', 'stalled'])(
    'goes on after %s',
    async (fault) => {
      shards = { 'shardId-1': { records: ['a', 'b', 'c'], open: true } };
      consume(stream, { batchSize: 1 }, () => {
        if (batches.length === 1) faults = [fault];
      });
      await seen([['a'], ['b'], ['c']]);
      const unreadable = logs.filter(({ messageIds }) => messageIds.length === 0);
      expect(unreadable).toHaveLength(fault === 'ExpiredIteratorException' ? 1 : 0);
    },
  );
});
