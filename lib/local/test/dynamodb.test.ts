import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
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

test('a table has a stream and a time to live, and is kept with its data when it exists', async () => {
  const { url, stop } = await startDynamodb();
  onTestFinished(stop);
  const Table = resource('AWS::DynamoDB::Table', {
    TableName: 'payments',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
    TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  const create = () => createTables(templateOf({ Table }), url);
  const client = clientOf(DynamoDBClient, url);
  const table = { TableName: 'payments' };
  const Item = { pk: { S: 'a' } };
  const streamArns = await create();
  expect(streamArns.get('Table')).toContain('/payments/stream/');
  await client.send(new PutItemCommand({ ...table, Item }));
  expect(await create()).toEqual(streamArns);
  expect(await client.send(new GetItemCommand({ ...table, Key: Item }))).toMatchObject({ Item });
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand(table));
  expect(TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: 'ENABLED' });
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
