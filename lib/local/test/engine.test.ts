import { createServer } from 'node:http';
import {
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type EngineOptions, startEngine } from '../engine.ts';
import { listen } from '../server/listen.ts';
import { clientOf } from './client-of.ts';
import { arnOf, assemblyOf, resource, routeOf, uriOf } from './small-assembly.ts';

const mapping = (FunctionName: string, EventSourceArn: object, others: object = {}) =>
  resource('AWS::Lambda::EventSourceMapping', {
    FunctionName: { Ref: FunctionName },
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    EventSourceArn,
    ...others,
  });

let log: string[];
beforeEach(() => {
  log = [];
});

/** Starts it on a database that nothing reaches for, or on its own where that is undefined. */
const start = async (assemblyDirectory: string, options: Partial<EngineOptions> = {}) => {
  // What a stack says after its test is not for the next one.
  const lines = log;
  const stack = await startEngine({
    assemblyDirectory,
    log: (line) => lines.push(line),
    dynamodbUrl: 'http://127.0.0.1:1',
    ...options,
  });
  onTestFinished(() => stack.stop());
  return stack;
};

test('the engine runs functions for requests, a stream and a queue, with a line for each', async () => {
  const functionLog: string[] = [];
  const Table = resource('AWS::DynamoDB::Table', {
    TableName: 'payments',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
    TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  });
  const stream = {
    StartingPosition: 'TRIM_HORIZON',
    FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
  };
  const save = `export const handler = ({ pathParameters }) =>
    ({ statusCode: 201, body: JSON.stringify(pathParameters) });`;
  const stack = await start(
    assemblyOf(
      {
        Table,
        Queue: resource('AWS::SQS::Queue'),
        ...routeOf('POST {id}', { Type: 'AWS_PROXY', Uri: uriOf('', { Ref: 'SaveLive' }) }),
        SaveLive: resource('AWS::Lambda::Alias', { FunctionName: { Ref: 'Save' }, Name: 'live' }),
        FeedRead: mapping('Read', { 'Fn::GetAtt': ['Table', 'StreamArn'] }, stream),
        FeedMail: mapping('Mail', arnOf('Queue')),
      },
      {
        Save: save,
        Read: 'export const handler = () => {};',
        Mail: `export const handler = ({ Records }) => console.log('mailing ' + Records[0].body);`,
      },
    ),
    { dynamodbUrl: undefined, functionLog: (name, line) => functionLog.push(`${name}: ${line}`) },
  );
  const dynamodb = clientOf(DynamoDBClient, stack.endpoints.dynamodb);
  const TableName = 'payments';
  const Item = { pk: { S: 'item' } };
  expect((await fetch(`${stack.url}/new`, { method: 'POST' })).status).toBe(201);
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
  stack.queues.send('Small-Queue', { body: 'hello' });
  await expect
    .poll(() => log.toSorted())
    .toEqual([
      expect.stringMatching(/^POST \/new 201 \d+ ms [-\da-f]{36} id=new$/),
      expect.stringMatching(/^Queue > Mail done \d+ ms [-\da-f]{36}$/),
      // The keys come before the number, which says nothing to a reader.
      expect.stringMatching(/^payments > Read done \d+ ms item \d{21}$/),
    ]);
  await expect.poll(() => functionLog).toContainEqual('Small-Mail: mailing hello');
  const { TimeToLiveDescription } = await dynamodb.send(
    new DescribeTimeToLiveCommand({ TableName }),
  );
  expect(TimeToLiveDescription?.TimeToLiveStatus).toBe('ENABLED');

  // Another engine keeps the table, with its data.
  await start(assemblyOf({ Table }), { dynamodbUrl: stack.endpoints.dynamodb });
  const got = await dynamodb.send(new GetItemCommand({ TableName, Key: Item }));
  expect(got.Item).toEqual(Item);
});

test('the engine stops what it has started when something cannot start', async () => {
  const taken = await listen(createServer(), 0);
  onTestFinished(taken.stop);
  const port = Number(new URL(taken.url).port);
  const servers = () =>
    process.getActiveResourcesInfo().filter((type) => type === 'TCPServerWrap').length;
  await expect.poll(servers).toBe(1);

  await expect(start(assemblyOf({}), { port, dynamodbUrl: undefined })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await expect.poll(servers).toBe(1);
});

test('the engine logs how each message ends, why, and that it becomes a dead letter, whatever its JSON', async () => {
  const consume = `
    export const handler = async ({ Records }) => {
      const [{ messageId, body }] = Records;
      const logged = JSON.parse(JSON.parse(body).logged);
      console.log(JSON.stringify({ level: 'INFO', message_id: messageId, ...logged }));
      return { batchItemFailures: logged.error?.name ? [{ itemIdentifier: messageId }] : [] };
    };`;
  const Queue = resource('AWS::SQS::Queue', {
    QueueName: 'orders',
    // Longer than a receive takes, so that the receives follow one another.
    VisibilityTimeout: 5,
    RedrivePolicy: { deadLetterTargetArn: arnOf('DeadLetters'), maxReceiveCount: 2 },
  });
  const DeadLetters = resource('AWS::SQS::Queue');
  const Feed = mapping('Consume', arnOf('Queue'));
  const stack = await start(assemblyOf({ DeadLetters, Queue, Feed }, { Consume: consume }));
  const send = (logged: object, others = {}) => {
    const body = JSON.stringify({ ...others, logged: JSON.stringify(logged) });
    return { body, ...stack.queues.send('orders', { body }) };
  };
  const refused = { message: 'Has no name.', stack: `Error\n    at ${import.meta.filename}:1:1` };
  // No primitive value can be made of it.
  const odd = { toString: 'x' };
  for (const [logged, result, why] of [
    [{ result: 'known' }, 'known', ''],
    [{ result: odd }, '{"toString":"x"}', ''],
    [{}, 'done', ''],
    [{ level: 'ERROR', error: refused }, 'given up', ' (Has no name.)'],
    [{ level: 'ERROR', error: { message: odd, stack: odd } }, 'given up', ' ({"toString":"x"})'],
  ] as const) {
    const { messageId } = send(logged, { workspace: odd, offer: { id: odd } });
    const line = () => log.at(-1)?.replace(/\d+ ms/, 'n ms');
    await expect.poll(line).toBe(`orders > Consume ${result} n ms ${messageId}${why}`);
  }

  const forged = 'x\n\u001b[2Jorders > Consume done 1 ms';
  const { messageId, body } = send(
    { level: 'ERROR', error: { name: 'Refusal', message: `of ${forged}` } },
    {
      sandbox: 'sbx_1',
      payment_request: { id: 'ptr_1', note: forged },
      [forged]: 'ofr_1',
      name: 'Maria',
    },
  );
  const about = `sandbox=sbx_1 payment_request=ptr_1 ${messageId} (Refusal: of x  [2Jorders > Consume done 1 ms)`;
  const failed = /^orders > Consume failed, to be tried again \d+ ms /;
  await expect
    .poll(() => log.slice(5).map((line) => line.replace(failed, '')))
    .toEqual([about, about, `orders > DeadLetters given up after 2 receives ${about}`]);
  // What a consumer gives up is no success.
  const attributes = { message_id: { DataType: 'String', StringValue: messageId } };
  stack.queues.send('Small-DeadLetters', { body, attributes });
  await expect.poll(() => log.at(-1)).toBe(`orders > DeadLetters given up ${about}`);
  const error = { DataType: 'String', StringValue: '/name (required): Is required.' };
  stack.queues.send('Small-DeadLetters', { body: '{', attributes: { ...attributes, error } });
  const given = `orders > DeadLetters given up ${messageId} (${error.StringValue})`;
  await expect.poll(() => log.at(-1)).toBe(given);
});
