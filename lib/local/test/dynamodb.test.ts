import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { startDynamodb } from '../dynamodb/dynamodb.ts';
import { createTables } from '../dynamodb/tables.ts';
import { clientOf } from './client-of.ts';
import { resource, templateOf } from './small-assembly.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const TableName = 'payments';
const properties = {
  TableName,
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
  TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
};

test('a table is created with stream and time to live, and kept when it exists', async () => {
  const { url, stop } = await startDynamodb();
  onTestFinished(stop);
  const create = () =>
    createTables(templateOf({ Table: resource('AWS::DynamoDB::Table', properties) }), url);
  const streamArns = await create();
  const client = clientOf(DynamoDBClient, url);
  const key = { pk: { S: 'a' } };
  await client.send(new PutItemCommand({ TableName, Item: key }));
  expect(await create()).toEqual(streamArns);

  const { Item } = await client.send(new GetItemCommand({ TableName, Key: key }));
  expect(Item).toEqual(key);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({
    KeySchema: properties.KeySchema,
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
  });
  expect(streamArns).toEqual(new Map([['Table', Table?.LatestStreamArn]]));
  const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  expect(ttl.TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED' });
});

test('a Java that is not there is an error that says what to do', async () => {
  const starting = startDynamodb(join(temporaryDirectory(), 'java'));
  await expect(starting).rejects.toThrow(/Java 17 or later[\s\S]*openjdk-17[\s\S]*--dynamodb http/);
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
  await expect.poll(() => fetch(url).catch(() => 'gone')).toBe('gone');
  await expect.poll(() => readdirSync(TMPDIR)).toEqual([]);
});
