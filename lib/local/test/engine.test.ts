import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DeleteTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import { LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Alias, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type DynamodbLocal, startDynamodb } from '../dynamodb/dynamodb.ts';
import { type EngineOptions, startEngine } from '../engine.ts';
import { clientOf } from './client-of.ts';
import { addAnswers, addApi, functionOf, synthesize } from './small-assembly.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Imports an SDK from this project into a function whose code lies elsewhere. */
const sdk = (name: string) =>
  `import sdk from '${pathToFileURL(createRequire(import.meta.url).resolve(name))}';`;

const saveCode = `
  ${sdk('@aws-sdk/client-dynamodb')}
  const client = new sdk.DynamoDBClient();
  export const handler = async ({ pathParameters }) => {
    const Item = { pk: { S: pathParameters.id } };
    await client.send(new sdk.PutItemCommand({ TableName: process.env.TABLE, Item }));
    return { statusCode: 201, body: JSON.stringify(process.env) };
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

const mailCode = `
  ${sdk('@aws-sdk/client-sesv2')}
  const client = new sdk.SESv2Client();
  export const handler = async ({ Records }) => {
    for (const { body } of Records) {
      console.log('mailing ' + body);
      await client.send(new sdk.SendEmailCommand({
        FromEmailAddress: 'a@example.com',
        Destination: { ToAddresses: ['b@example.com'] },
        Content: { Simple: { Subject: { Data: body }, Body: { Text: { Data: body } } } },
      }));
    }
  };
`;

/** The mapping of a stream as our template has it. */
const streamOf = (table: Table, givenUp: Queue) =>
  new DynamoEventSource(table, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    reportBatchItemFailures: true,
    bisectBatchOnError: true,
    maxRecordAge: Duration.hours(23),
    onFailure: new SqsDlq(givenUp),
    filters: [FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT') })],
  });

const messagesOf = (queue: Queue) =>
  new SqsEventSource(queue, { batchSize: 10, reportBatchItemFailures: true });

/** POST saves an item; the stream's reader sends a message for it; the queue's consumer a mail. */
const relay = (stack: Stack): void => {
  const table = new Table(stack, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    stream: StreamViewType.NEW_IMAGE,
  });
  const queue = new Queue(stack, 'Queue');
  const api = new RestApi(stack, 'Api');
  addAnswers(stack);
  const save = functionOf(stack, 'Save', saveCode, {
    TABLE: table.tableName,
    SECRET_ARN: new Secret(stack, 'Secret').secretArn,
  });
  api.root.addResource('{id}').addMethod('POST', new LambdaIntegration(save));
  functionOf(stack, 'Read', readCode, { QUEUE_URL: queue.queueUrl }).addEventSource(
    streamOf(table, new Queue(stack, 'GivenUp')),
  );
  functionOf(stack, 'Mail', mailCode).addEventSource(messagesOf(queue));
  new CfnOutput(stack, 'TableName', { value: table.tableName });
};

/** Of all tests that are not about a database of their own. */
let shared: DynamodbLocal;

beforeAll(async () => {
  shared = await startDynamodb();
});

afterAll(() => shared.stop());

let assemblyDirectory: string;
let log: string[];
let functionLog: string[];

beforeEach(() => {
  assemblyDirectory = synthesize(relay);
  log = [];
  functionLog = [];
});

/** Starts it on the shared database, or on its own where `dynamodbUrl` is undefined. */
const start = async (options: Partial<EngineOptions> = {}) => {
  // What a stack says after its test is not for the next one.
  const [lines, functionLines] = [log, functionLog];
  const dynamodb = clientOf(DynamoDBClient, shared.url);
  const stack = await startEngine({
    assemblyDirectory,
    log: (line) => lines.push(line),
    functionLog: (name, line) => functionLines.push(`${name}: ${line}`),
    dynamodbUrl: shared.url,
    ...options,
  });
  onTestFinished(async () => {
    await stack.stop();
    const isShared = stack.endpoints.dynamodb === shared.url;
    const { TableName } = stack.outputs;
    if (isShared && TableName) await dynamodb.send(new DeleteTableCommand({ TableName }));
  });
  return stack;
};

const subjects = async (mailbox: string): Promise<string[]> => {
  const { emails } = (await (await fetch(`${mailbox}/store`)).json()) as {
    emails: { subject: string }[];
  };
  return emails.map(({ subject }) => subject);
};

test('the engine logs an event that no rule matches', async () => {
  const stack = await start({ assemblyDirectory: synthesize(addApi) });
  const Entries = [{ Source: 'shop', DetailType: 'Opened', Detail: '{}' }];
  const { Entries: [put] = [] } = await clientOf(
    EventBridgeClient,
    stack.endpoints.eventbridge,
  ).send(new PutEventsCommand({ Entries }));
  expect(log).toEqual([`shop "Opened" ${put?.EventId}`]);
});

const refuseCode = `export const handler = () => { throw new Error('never'); };`;
const answerCode = `export const handler = () => ({ statusCode: 200, body: 'here' });`;

test('the engine follows aliases to their functions, and keeps what a stream gives up in a queue', async () => {
  const stack = await start({
    assemblyDirectory: synthesize((stack) => {
      const table = new Table(stack, 'Table', {
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        billingMode: BillingMode.PAY_PER_REQUEST,
        stream: StreamViewType.NEW_IMAGE,
      });
      const alias = (id: string, source: string) => {
        const { currentVersion: version } = functionOf(stack, id, source);
        return new Alias(stack, `${id}Live`, { aliasName: 'live', version });
      };
      addAnswers(stack);
      new RestApi(stack, 'Api').root.addMethod(
        'GET',
        new LambdaIntegration(alias('Answer', answerCode)),
      );
      const queue = new Queue(stack, 'GivenUp', { queueName: 'given-up' });
      alias('Refuse', refuseCode).addEventSource(streamOf(table, queue));
      new CfnOutput(stack, 'TableName', { value: table.tableName });
    }),
  });
  expect(await (await fetch(`${stack.url}/`)).text()).toBe('here');

  await clientOf(DynamoDBClient, stack.endpoints.dynamodb).send(
    new PutItemCommand({ TableName: stack.outputs.TableName, Item: { pk: { S: 'poison' } } }),
  );
  await expect.poll(() => log).toContainEqual(expect.stringContaining('Table > Refuse failed'));
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 86_400_000);
  const [message] = await stack.queues.receive('given-up', { maximum: 1, waitMs: 30_000 });
  expect(JSON.parse(message?.body ?? '')).toMatchObject({
    requestContext: { condition: 'RecordAgeExceeded' },
    DDBStreamBatchInfo: { batchSize: 1 },
  });
  await expect
    .poll(() => log)
    .toContainEqual(
      expect.stringMatching(/^Table > Refuse given up .* poison \(RecordAgeExceeded\)$/),
    );
});

test('the engine starts another template on the data of the one before', async () => {
  const dataDirectory = join(temporaryDirectory(), 'data');
  const first = await start({ dataDirectory });
  const save = (url: string, id: string) => fetch(`${url}/${id}`, { method: 'POST' });
  await save(first.url, 'kept');
  await expect.poll(() => subjects(first.mailbox)).toContain('kept');
  await expect.poll(() => log).toContainEqual(expect.stringMatching(/^POST \/kept 201 \d+ ms /));
  await expect
    .poll(() => log)
    .toContainEqual(expect.stringMatching(/^Queue > Mail done \d+ ms [-\da-f]{36}$/));
  await expect
    .poll(() => functionLog)
    .toContainEqual(expect.stringMatching(/^Small-Mail\w+: mailing kept$/));
  await first.stop();

  const second = await startEngine({
    assemblyDirectory: synthesize((stack) => {
      relay(stack);
      functionOf(stack, 'Added', answerCode);
    }),
    dynamodbUrl: shared.url,
    dataDirectory,
    log: () => {},
  });
  onTestFinished(second.stop);
  expect([...second.functions.keys()].some((id) => id.startsWith('Added'))).toBe(true);
  // Saving it again inserts nothing, and only inserts are sent on: the table was kept.
  await save(second.url, 'kept');
  await save(second.url, 'new');
  await expect.poll(() => subjects(second.mailbox)).toContain('new');
  expect((await subjects(second.mailbox)).filter((subject) => subject === 'kept')).toHaveLength(1);
});

test('the engine stops what it has started when something cannot start', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const servers = () =>
    process.getActiveResourcesInfo().filter((type) => type === 'TCPServerWrap').length;
  await expect.poll(servers).toBe(1);

  await expect(start({ port, dynamodbUrl: undefined })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await expect.poll(servers).toBe(1);
});

const refuseMessageCode = `
  export const handler = async ({ Records }) => {
    const [{ messageId, body }] = Records;
    const error = { name: 'Refusal', message: 'of ' + JSON.parse(body).sandbox };
    console.error(JSON.stringify({ level: 'ERROR', message: 'message', message_id: messageId, error }));
    return { batchItemFailures: [{ itemIdentifier: messageId }] };
  };
`;

test('the engine logs which message is refused, why, and that it becomes a dead letter', async () => {
  const stack = await start({
    assemblyDirectory: synthesize((stack) => {
      const deadLetters = new Queue(stack, 'DeadLetters');
      const queue = new Queue(stack, 'Queue', {
        queueName: 'orders',
        // Longer than a receive takes, so that the receives follow one another.
        visibilityTimeout: Duration.seconds(5),
        deadLetterQueue: { queue: deadLetters, maxReceiveCount: 2 },
      });
      functionOf(stack, 'Refuse', refuseMessageCode).addEventSource(messagesOf(queue));
      addApi(stack);
    }),
  });
  const { messageId } = stack.queues.send('orders', { body: '{"sandbox":"sbx_1"}' });
  await expect
    .poll(() => log, { timeout: 30_000 })
    .toEqual([
      expect.stringMatching(
        new RegExp(
          `^orders > Refuse failed, to be tried again \\d+ ms ${messageId} sandbox=sbx_1 \\(Refusal: of sbx_1\\)$`,
        ),
      ),
      expect.stringContaining('orders > Refuse failed'),
      `orders > DeadLetters given up after 2 receives ${messageId} sandbox=sbx_1`,
    ]);
});

test('the engine answers 503 and calls no function until its data are prepared', async () => {
  const statuses: number[] = [];
  const stack = await start({
    assemblyDirectory: synthesize((stack) => {
      const answer = functionOf(stack, 'Answer', answerCode);
      const api = new RestApi(stack, 'Api');
      addAnswers(stack);
      api.root.addMethod('GET', new LambdaIntegration(answer));
      new CfnOutput(stack, 'Url', {
        value: `https://${api.restApiId}.execute-api.${stack.region}.${stack.urlSuffix}/prod`,
      });
    }),
    prepare: async ({ outputs }) => {
      statuses.push((await fetch(outputs.Url ?? '')).status);
    },
  });
  statuses.push((await fetch(`${stack.url}/`)).status);
  expect(statuses).toEqual([503, 200]);
});
