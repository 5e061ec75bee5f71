import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { credentials, region } from '../aws-account.ts';
import { startDynamodb } from '../dynamodb/dynamodb.ts';
import { compilePattern } from '../event-bridge/event-pattern.ts';
import type { BatchLog } from '../lambda/batch.ts';
import { consumeStream, type StreamEventSource } from '../lambda/stream-event-source.ts';

const local = {
  region,
  credentials,
};

let logs: BatchLog[];
let batches: DynamoDBRecord[][];
const consumers: { stop: () => Promise<void> }[] = [];

beforeEach(() => {
  logs = [];
  batches = [];
});

afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
});

const consume = (
  stream: { endpoint: string; streamArn: string },
  settings: Partial<StreamEventSource> = {},
  handler: (records: DynamoDBRecord[]) => unknown = () => undefined,
): void => {
  const target = {
    name: 'relay-outbox',
    async invoke(event: unknown) {
      const { Records } = event as { Records: DynamoDBRecord[] };
      batches.push(Records);
      return handler(Records);
    },
  };
  const source: StreamEventSource = {
    ...stream,
    target,
    batchSize: 100,
    filters: [],
    ...settings,
  };
  consumers.push(consumeStream(source, (log) => logs.push(log)));
};

const key = (record: DynamoDBRecord) => {
  const { pk } = record.dynamodb?.Keys ?? {};
  return pk?.S;
};

const keys = () => batches.map((batch) => batch.map(key));
const seen = (expected: (string | undefined)[][]) => expect.poll(() => keys()).toEqual(expected);

describe('the stream of a table', () => {
  let dynamodbLocal: Awaited<ReturnType<typeof startDynamodb>>;
  let dynamodb: DynamoDBClient;
  let TableName: string;
  let stream: { endpoint: string; streamArn: string };

  beforeAll(async () => {
    dynamodbLocal = await startDynamodb();
    dynamodb = new DynamoDBClient({ ...local, endpoint: dynamodbLocal.url });
  }, 70_000);

  afterAll(async () => {
    dynamodb.destroy();
    await dynamodbLocal.stop();
  });

  beforeEach(async () => {
    TableName = `table-${randomUUID()}`;
    const { TableDescription } = await dynamodb.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
      }),
    );
    stream = { endpoint: dynamodbLocal.url, streamArn: TableDescription?.LatestStreamArn ?? '' };
  });

  const put = async (...pks: string[]) => {
    for (const pk of pks) {
      await dynamodb.send(new PutItemCommand({ TableName, Item: { pk: { S: pk } } }));
    }
  };

  test('arrives in the shape of a DynamoDB event, values in wire form', async () => {
    const Item = {
      pk: { S: 'OFFER#ofr_1' },
      attempts: { N: '3' },
      signed: { M: { hashes: { L: [{ B: new Uint8Array([1, 2]) }] } } },
    };
    await dynamodb.send(new PutItemCommand({ TableName, Item }));
    consume(stream);
    await expect.poll(() => logs).toHaveLength(1);
    const [record] = batches[0] ?? [];
    expect(JSON.parse(JSON.stringify(record))).toStrictEqual({
      eventID: expect.any(String),
      eventName: 'INSERT',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: stream.streamArn,
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { pk: { S: 'OFFER#ofr_1' } },
        NewImage: {
          pk: { S: 'OFFER#ofr_1' },
          attempts: { N: '3' },
          signed: { M: { hashes: { L: [{ B: 'AQI=' }] } } },
        },
        SequenceNumber: expect.any(String),
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_IMAGE',
      },
    });
    expect(logs).toEqual([
      {
        source: TableName,
        functionName: 'relay-outbox',
        messageIds: [record?.dynamodb?.SequenceNumber],
        subjects: new Map([[record?.dynamodb?.SequenceNumber, expect.any(String)]]),
        failed: [],
        durationMs: expect.any(Number),
      },
    ]);
  });

  test('arrives in order, in batches no larger than asked for, and goes on arriving', async () => {
    await put('a', 'b', 'c');
    consume(stream, { batchSize: 2 });
    await seen([['a', 'b'], ['c']]);
    await put('d');
    await seen([['a', 'b'], ['c'], ['d']]);
  });

  test('repeats a batch that failed, and never goes past it', async () => {
    let failures = 0;
    await put('a');
    consume(stream, { batchSize: 1 }, () => {
      if (failures < 2) {
        failures += 1;
        throw new Error('the queue is down');
      }
    });
    await put('b');
    await seen([['a'], ['a'], ['a'], ['b']]);
    expect(logs[0]).toMatchObject({
      failed: logs[0]?.messageIds,
      error: 'Error: the queue is down',
    });
  });

  test('is retried from the lowest failure that the function reports', async () => {
    let failed = false;
    await put('a', 'b', 'c', 'd');
    consume(stream, { batchSize: 4 }, (records) => {
      if (failed) return;
      failed = true;
      return {
        batchItemFailures: records
          .filter((record) => ['d', 'c'].includes(key(record) ?? ''))
          .map((record) => ({ itemIdentifier: record.dynamodb?.SequenceNumber }))
          .reverse(),
      };
    });
    await seen([
      ['a', 'b', 'c', 'd'],
      ['c', 'd'],
    ]);
    expect(logs[0]?.failed).toEqual(logs[0]?.messageIds.slice(2));
  });

  test('is not retried without a pause while the function reports failures', async () => {
    await put('a', 'b');
    consume(stream, { batchSize: 2 }, (records) => ({
      batchItemFailures: [{ itemIdentifier: records.at(-1)?.dynamodb?.SequenceNumber }],
    }));
    await expect.poll(() => batches.length).toBeGreaterThan(1);
    await sleep(500);
    expect(batches.length).toBeLessThan(10);
  });

  test('holds up only the record that fails, once its batch is bisected', async () => {
    await put('a', 'b', 'poison', 'd');
    let isPoison = true;
    consume(stream, { batchSize: 4 }, (records) => {
      if (isPoison && records.some((record) => key(record) === 'poison')) throw new Error('poison');
    });
    const halves = [['a', 'b', 'poison', 'd'], ['a', 'b'], ['poison', 'd'], ['poison']];
    await expect.poll(() => keys().slice(0, 5)).toEqual([...halves, ['poison']]);
    isPoison = false;
    await expect.poll(() => keys().at(-1)).toEqual(['d']);
  });

  test('passes on only what the filters want', async () => {
    await put('CLAIM#1', 'OFFER#1', 'CLAIM#2');
    const pattern = {
      eventName: ['INSERT'],
      dynamodb: { Keys: { pk: { S: ['OFFER#1'] } } },
    };
    consume(stream, { filters: [compilePattern(pattern)] });
    await seen([['OFFER#1']]);
    await put('CLAIM#3', 'OFFER#1');
    await seen([['OFFER#1'], ['OFFER#1']]);
  });
});

/**
 * What DynamoDB Local does not do within a test: shards that close, iterators that expire, records
 * that are trimmed, a server that is down or does not answer. A shard lists records from `first`
 * on; `faults` are the error names of the next answers, or `silent` and `stalled`.
 */
describe('a stream in trouble', () => {
  interface FakeShard {
    readonly parent?: string;
    readonly records: string[];
    readonly first?: number;
    readonly open?: boolean;
  }

  let shards: Record<string, FakeShard>;
  let faults: string[];
  let requests: string[];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const input = (await json(request).catch(() => undefined)) as Record<string, string>;
    // A consumer that stops breaks off what it is asking.
    if (!input) return;
    requests.push(operation);
    const fault = operation === 'GetRecords' ? faults.shift() : undefined;
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    if (fault === 'silent') return;
    if (fault === 'stalled') {
      response.write('{');
      return;
    }
    if (fault !== undefined) {
      response.statusCode = 400;
      response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb#${fault}` }));
      return;
    }
    response.end(JSON.stringify(answer(operation, input)));
  };
  let server: Server;
  let stream: { endpoint: string; streamArn: string };

  // One for each test: what the last one's consumer asked before it stopped must not meet our
  // faults.
  beforeEach(async () => {
    server = createServer(respond);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const streamArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/payments/stream/now';
    stream = { endpoint: `http://127.0.0.1:${port}`, streamArn };
    faults = [];
    requests = [];
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const answer = (operation: string, input: Record<string, string>): object => {
    if (operation === 'DescribeStream') {
      return {
        StreamDescription: {
          Shards: Object.entries(shards).map(([ShardId, { parent }]) => ({
            ShardId,
            ParentShardId: parent,
          })),
        },
      };
    }
    if (operation === 'GetShardIterator') {
      const { ShardId = '', ShardIteratorType, SequenceNumber = '' } = input;
      const { records = [], first = 0 } = shards[ShardId] ?? {};
      const at = {
        TRIM_HORIZON: first,
        AFTER_SEQUENCE_NUMBER: records.indexOf(SequenceNumber) + 1,
      }[ShardIteratorType ?? ''];
      return { ShardIterator: `${ShardId}/${at}` };
    }
    const { ShardIterator = '', Limit } = input;
    const [shardId = '', at = ''] = ShardIterator.split('/');
    const shard = shards[shardId];
    const records = shard?.records.slice(Number(at), Number(at) + Number(Limit)) ?? [];
    const next = Number(at) + records.length;
    const isEnd = next === shard?.records.length && shard.open !== true;
    return {
      Records: records.map((SequenceNumber) => ({
        eventName: 'INSERT',
        dynamodb: {
          SequenceNumber,
          Keys: { pk: { S: SequenceNumber } },
        },
      })),
      ...(!isEnd && { NextShardIterator: `${shardId}/${next}` }),
    };
  };

  test('reads a parent to its end before its child, whatever order they are listed in', async () => {
    shards = {
      'shardId-2-child': { parent: 'shardId-1-parent', records: ['c', 'd'], open: true },
      'shardId-1-parent': { parent: 'shardId-0-gone', records: ['a', 'b'] },
    };
    let failures = 0;
    consume(stream, { batchSize: 1 }, ([record]) => {
      if (record && key(record) === 'b' && failures < 2) {
        failures += 1;
        throw new Error('not yet');
      }
    });
    await seen([['a'], ['b'], ['b'], ['b'], ['c'], ['d']]);
  });

  test('finds shards that appear later and reads them from their start', async () => {
    shards = { 'shardId-1': { records: ['old'], open: true } };
    consume(stream);
    await seen([['old']]);
    shards = {
      'shardId-1': { records: ['old'] },
      'shardId-2': { parent: 'shardId-1', records: ['new'], open: true },
    };
    await seen([['old'], ['new']]);
  });

  test('renews an iterator that expired, without losing its place', async () => {
    shards = { 'shardId-1': { records: ['a', 'b', 'c'], open: true } };
    consume(stream, { batchSize: 2 }, () => {
      if (batches.length === 1) faults = ['ExpiredIteratorException'];
    });
    await seen([['a', 'b'], ['c']]);
    expect(logs.filter(({ error }) => error !== undefined)).toHaveLength(1);
    expect(requests.filter((operation) => operation === 'GetShardIterator')).toHaveLength(2);
  });

  test('goes on with the oldest record left when its place was trimmed', async () => {
    shards = { 'shardId-1': { records: ['a', 'b', 'c'], open: true } };
    consume(stream, { batchSize: 1 }, () => {
      if (batches.length > 1) return;
      shards = { 'shardId-1': { records: ['a', 'b', 'c'], first: 2, open: true } };
      faults = ['TrimmedDataAccessException'];
    });
    await seen([['a'], ['c']]);
  });

  test.each(['silent', 'stalled'])('goes on after a %s answer', async (fault) => {
    shards = { 'shardId-1': { records: ['a'], open: true } };
    faults = [fault];
    consume(stream);
    await seen([['a']]);
  });

  test('says that it cannot read, and goes on once it can', async () => {
    shards = { 'shardId-1': { records: ['a'], open: true } };
    faults = ['ResourceNotFoundException', 'ResourceNotFoundException'];
    consume(stream);
    await seen([['a']]);
    expect(logs).toMatchObject([
      { source: 'payments', messageIds: [], error: expect.stringContaining('ResourceNotFound') },
      { source: 'payments', messageIds: [], error: expect.stringContaining('ResourceNotFound') },
      { source: 'payments', messageIds: ['a'], failed: [] },
    ]);
  });
});
