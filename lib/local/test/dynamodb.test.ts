import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DynamodbLocal, startDynamodb } from '../dynamodb/dynamodb.ts';
import { createTables, tableShape } from '../dynamodb/tables.ts';
import { listen } from '../server/listen.ts';
import { clientOf } from './client-of.ts';
import { readerOf } from './small-assembly.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const properties = {
  AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S',
  })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
  TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
};

const swapped = (key: { AttributeName: string; KeyType: string }) => ({
  ...key,
  KeyType: key.KeyType === 'HASH' ? 'RANGE' : 'HASH',
});

const numeric = (attribute: { AttributeName: string }) => ({ ...attribute, AttributeType: 'N' });

const tablesOf = (changes: object) =>
  readerOf({
    Table: { Type: 'AWS::DynamoDB::Table', Properties: { ...properties, ...changes } },
  }).read(tableShape);

describe('the tables of DynamoDB Local', () => {
  let dynamodb: DynamodbLocal;
  beforeAll(async () => {
    dynamodb = await startDynamodb();
  });
  afterAll(() => dynamodb.stop());

  test('are created with keys, stream and time to live', async () => {
    const streamArns = await createTables(tablesOf({ TableName: 'complete' }), dynamodb.url);

    const client = clientOf(DynamoDBClient, dynamodb.url);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'complete' }));
    const { TimeToLiveDescription } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: 'complete' }),
    );
    expect(Table).toMatchObject({
      KeySchema: properties.KeySchema,
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    });
    expect(TimeToLiveDescription).toEqual({
      AttributeName: 'expires',
      TimeToLiveStatus: 'ENABLED',
    });
    expect(streamArns).toEqual([['Table', Table?.LatestStreamArn]]);
  });

  test('that exist are kept with what is in them', async () => {
    await createTables(tablesOf({ TableName: 'kept' }), dynamodb.url);
    const client = clientOf(DynamoDBClient, dynamodb.url);
    const key = { pk: { S: 'a' }, sk: { S: 'b' } };
    await client.send(new PutItemCommand({ TableName: 'kept', Item: key }));

    await createTables(tablesOf({ TableName: 'kept' }), dynamodb.url);
    const { Item } = await client.send(new GetItemCommand({ TableName: 'kept', Key: key }));
    expect(Item).toEqual(key);
  });

  test('are created although the first reply to each write is lost', async () => {
    const lost = ['CreateTable', 'UpdateTimeToLive'];
    const server = createServer(async (incoming, outgoing) => {
      const { host: _, connection: __, ...headers } = incoming.headers as Record<string, string>;
      const reply = await fetch(dynamodb.url, {
        method: 'POST',
        headers,
        body: await text(incoming),
      });
      const operation = headers['x-amz-target']?.split('.')[1] ?? '';
      if (lost.includes(operation)) lost.splice(lost.indexOf(operation), 1);
      else outgoing.writeHead(reply.status).end(await reply.text());
    });
    const proxy = await listen(server, 0);
    onTestFinished(() => proxy.stop());

    await createTables(tablesOf({ TableName: 'retried' }), proxy.url);
    expect(lost).toEqual([]);
    const { TimeToLiveDescription } = await clientOf(DynamoDBClient, dynamodb.url).send(
      new DescribeTimeToLiveCommand({ TableName: 'retried' }),
    );
    expect(TimeToLiveDescription?.TimeToLiveStatus).toBe('ENABLED');
  });

  test.each([
    ['other keys', { KeySchema: properties.KeySchema.toReversed().map(swapped) }],
    [
      'keys of another type',
      { AttributeDefinitions: properties.AttributeDefinitions.map(numeric) },
    ],
    ['another stream', { StreamSpecification: undefined }],
  ])('that exist with %s are an error', async (what, changes) => {
    const TableName = what.replaceAll(' ', '-');
    await createTables(tablesOf({ TableName }), dynamodb.url);
    await expect(createTables(tablesOf({ TableName, ...changes }), dynamodb.url)).rejects.toThrow(
      `Table ${TableName} exists with other keys or another stream`,
    );
  });
});

test('DynamoDB Local keeps data in a directory whose name is not ASCII, without a locale', async () => {
  for (const name of ['LANG', 'LC_ALL', 'LC_CTYPE']) vi.stubEnv(name, undefined);
  const directory = join(temporaryDirectory(), 'wörk ü');
  mkdirSync(directory);
  const first = await startDynamodb({ directory });
  await createTables(tablesOf({ TableName: 'lasting' }), first.url);
  await first.stop();

  const second = await startDynamodb({ directory });
  onTestFinished(() => second.stop());
  const { Table } = await clientOf(DynamoDBClient, second.url).send(
    new DescribeTableCommand({ TableName: 'lasting' }),
  );
  expect(Table?.TableStatus).toBe('ACTIVE');
});

test('a start with a file that is no database is an error that names it', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'shared-local-instance.db'), 'no database');
  await expect(startDynamodb({ directory })).rejects.toThrow(
    `${directory}/shared-local-instance.db cannot be read: file is not a database. Restore it`,
  );
});

test('a start without a directory for temporary files is an error that names it', async () => {
  vi.stubEnv('TMPDIR', '/nowhere/tmp');
  await expect(startDynamodb()).rejects.toThrow(
    '/nowhere/tmp cannot be used for temporary files; set TMPDIR.',
  );
});

describe('a Java', () => {
  test('that is not there is an error that says what to do', async () => {
    const starting = startDynamodb({ java: join(temporaryDirectory(), 'java') });
    await expect(starting).rejects.toThrow(
      /Java 17 or later[\s\S]*openjdk-17[\s\S]*--dynamodb http/,
    );
  });

  test('that is too old is the same error', async () => {
    const java = join(temporaryDirectory(), 'java');
    writeFileSync(
      java,
      '#!/bin/sh\necho "Exception in thread main java.lang.UnsupportedClassVersionError" >&2\nexit 1\n',
    );
    chmodSync(java, 0o755);
    await expect(startDynamodb({ java })).rejects.toThrow('DynamoDB Local needs Java 17 or later');
  });

  test('that fails in another way is an error with its words', async () => {
    const java = join(temporaryDirectory(), 'java');
    writeFileSync(java, '#!/bin/sh\necho "no space left" >&2\nexit 1\n');
    chmodSync(java, 0o755);
    await expect(startDynamodb({ java })).rejects.toThrow(/did not start:\nno space left/);
  });
});

test('DynamoDB Local goes when the process that started it is killed', async () => {
  const script = join(temporaryDirectory(), 'start.ts');
  const module = new URL('../dynamodb/dynamodb.ts', import.meta.url).href;
  writeFileSync(
    script,
    `import { startDynamodb } from '${module}';
     const { url } = await startDynamodb();
     console.log(url);
     setInterval(() => {}, 1000);`,
  );
  const TMPDIR = temporaryDirectory();
  const parent = spawn(process.execPath, [script], {
    env: { ...process.env, TMPDIR },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface({ input: parent.stdout }), 'line');
  expect((await fetch(url)).status).toBe(400);

  parent.kill('SIGKILL');
  await expect.poll(() => fetch(url).catch(() => 'gone'), { timeout: 20_000 }).toBe('gone');
  await expect.poll(() => readdirSync(TMPDIR)).toEqual([]);
});
