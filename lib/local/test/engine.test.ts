import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type DynamodbLocal, startDynamodb } from '../dynamodb/dynamodb.ts';
import { type EngineOptions, startEngine } from '../engine.ts';
import { clientOf } from './client-of.ts';
import { arnOf, assemblyOf, resource, routeOf, uriOf } from './small-assembly.ts';

/** Imports an SDK from this project into a function whose code lies elsewhere. */
const sdk = (name: string) =>
  `import sdk from '${pathToFileURL(createRequire(import.meta.url).resolve(name))}';`;

const saveCode = `
  ${sdk('@aws-sdk/client-dynamodb')}
  const client = new sdk.DynamoDBClient();
  export const handler = async ({ pathParameters }) => {
    const Item = { pk: { S: pathParameters.id } };
    await client.send(new sdk.PutItemCommand({ TableName: process.env.TABLE, Item }));
    return { statusCode: 201, body: JSON.stringify(pathParameters) };
  };
`;

const readCode = `
  ${sdk('@aws-sdk/client-sqs')}
  const client = new sdk.SQSClient();
  export const handler = async ({ Records }) => {
    for (const { dynamodb } of Records) {
      const MessageBody = dynamodb.NewImage.pk.S;
      await client.send(new sdk.SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody }));
    }
  };
`;

const mapping = (FunctionName: string, EventSourceArn: object, others: object = {}) =>
  resource('AWS::Lambda::EventSourceMapping', {
    FunctionName: { Ref: FunctionName },
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    EventSourceArn,
    ...others,
  });

/** POST saves an item; the stream's reader sends a message for it, which the consumer takes. */
const relay = () =>
  assemblyOf(
    {
      Table: resource('AWS::DynamoDB::Table', {
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
        StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      }),
      Queue: resource('AWS::SQS::Queue'),
      ...routeOf('POST {id}', { Type: 'AWS_PROXY', Uri: uriOf('', { Ref: 'SaveLive' }) }),
      SaveLive: resource('AWS::Lambda::Alias', { FunctionName: { Ref: 'Save' }, Name: 'live' }),
      FeedRead: mapping(
        'Read',
        { 'Fn::GetAtt': ['Table', 'StreamArn'] },
        {
          StartingPosition: 'TRIM_HORIZON',
          FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
        },
      ),
      FeedMail: mapping('Mail', arnOf('Queue')),
    },
    {
      Save: [saveCode, { TABLE: { Ref: 'Table' } }],
      Read: [readCode, { QUEUE_URL: { Ref: 'Queue' } }],
      Mail: [`export const handler = ({ Records }) => console.log('mailing ' + Records[0].body);`],
    },
    { TableName: { Ref: 'Table' } },
  );

/** Of all tests that are not about a database of their own. */
let shared: DynamodbLocal;
beforeAll(async () => {
  shared = await startDynamodb();
});
afterAll(() => shared.stop());

let log: string[];
beforeEach(() => {
  log = [];
});

/** Starts it on the shared database, or on its own where `dynamodbUrl` is undefined. */
const start = async (assemblyDirectory: string, options: Partial<EngineOptions> = {}) => {
  // What a stack says after its test is not for the next one.
  const lines = log;
  const stack = await startEngine({
    assemblyDirectory,
    log: (line) => lines.push(line),
    dynamodbUrl: shared.url,
    ...options,
  });
  onTestFinished(() => stack.stop());
  return stack;
};

test('the engine carries a request through table, stream and queue, with a line for each', async () => {
  const functionLog: string[] = [];
  const stack = await start(relay(), {
    functionLog: (name, line) => functionLog.push(`${name}: ${line}`),
  });
  const client = clientOf(DynamoDBClient, shared.url);
  const { TableName } = stack.outputs;
  onTestFinished(async () => void (await client.send(new DeleteTableCommand({ TableName }))));
  expect((await fetch(`${stack.url}/new`, { method: 'POST' })).status).toBe(201);
  await expect
    // The stream may be read before the request has its response.
    .poll(() => log.toSorted())
    .toEqual([
      expect.stringMatching(/^POST \/new 201 \d+ ms [-\da-f]{36} id=new$/),
      expect.stringMatching(/^Queue > Mail done \d+ ms [-\da-f]{36}$/),
      // The keys come before the number, which says nothing to a reader.
      expect.stringMatching(/^Table > Read done \d+ ms new \d{21}$/),
    ]);
  await expect.poll(() => functionLog).toContainEqual('Small-Mail: mailing new');
});

test('the engine stops what it has started when something cannot start', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const servers = () =>
    process.getActiveResourcesInfo().filter((type) => type === 'TCPServerWrap').length;
  await expect.poll(servers).toBe(1);

  await expect(start(assemblyOf({}), { port, dynamodbUrl: undefined })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await expect.poll(servers).toBe(1);
});

test('the engine logs which message is refused, why, and that it becomes a dead letter', async () => {
  const refuse = `
    export const handler = async ({ Records }) => {
      const [{ messageId, body }] = Records;
      const error = { name: 'Refusal', message: 'of ' + JSON.parse(body).sandbox };
      console.error(JSON.stringify({ level: 'ERROR', message_id: messageId, error }));
      return { batchItemFailures: [{ itemIdentifier: messageId }] };
    };`;
  const stack = await start(
    assemblyOf(
      {
        DeadLetters: resource('AWS::SQS::Queue'),
        Queue: resource('AWS::SQS::Queue', {
          QueueName: 'orders',
          // Longer than a receive takes, so that the receives follow one another.
          VisibilityTimeout: 5,
          RedrivePolicy: { deadLetterTargetArn: arnOf('DeadLetters'), maxReceiveCount: 2 },
        }),
        Feed: mapping('Refuse', arnOf('Queue')),
      },
      { Refuse: [refuse] },
    ),
  );
  const forged = 'x\n\u001b[2Jorders > Refuse done 1 ms';
  const message = {
    sandbox: 'sbx_1',
    payment_request: { id: 'ptr_1', note: forged },
    Message: forged,
    [forged]: 'ofr_1',
    name: 'Maria',
    amount: '100.00',
  };
  const body = JSON.stringify(message);
  const { messageId } = stack.queues.send('orders', { body });
  const about = `sandbox=sbx_1 payment_request=ptr_1 ${messageId}`;
  await expect
    .poll(() => log)
    .toEqual([
      expect.stringMatching(
        new RegExp(
          `^orders > Refuse failed, to be tried again \\d+ ms ${about} \\(Refusal: of sbx_1\\)$`,
        ),
      ),
      expect.stringContaining('orders > Refuse failed'),
      `orders > DeadLetters given up after 2 receives ${about} (Refusal: of sbx_1)`,
    ]);
  // What a consumer gives up is no success.
  const attributes = { message_id: { DataType: 'String', StringValue: messageId } };
  stack.queues.send('Small-DeadLetters', { body, attributes });
  await expect
    .poll(() => log.at(-1))
    .toBe(`orders > DeadLetters given up ${about} (Refusal: of sbx_1)`);
});

test('the engine returns 503 until its data are prepared, and then runs the code that it is given', async () => {
  const response = (body: string) =>
    `export const handler = () => ({ statusCode: 200, body: '${body}' });`;
  const seen: unknown[] = [];
  const url = `https://api.execute-api.us-east-1.amazonaws.com/v9`;
  const assembly = () =>
    assemblyOf(routeOf('GET ', 'Response'), { Response: [response('here')] }, { Url: url });
  const stack = await start(assembly(), {
    prepare: async ({ outputs }) => {
      seen.push((await fetch(outputs.Url ?? '')).status);
    },
  });
  const get = async () => (await fetch(stack.url)).text();
  seen.push(await get());
  const other = assemblyOf({}, { Response: [response('there')] });
  await stack.replaceCode('Response', `${other}/Response`);
  seen.push(await get());
  expect(seen).toEqual([503, 'here', 'there']);
});
