import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Context } from 'aws-lambda';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../../test/support/child-environment.ts';
import { createTable } from '../../test/support/create-table.ts';
import { stack } from '../../test/support/running-stack.ts';
import { portToTake, serverOf } from '../../test/support/servers.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { buildDirectory } from '../bundles/build-directory.ts';
import {
  LambdaFunction,
  QueueService,
  readFunctions,
  startSqsServer,
} from '../local/local-engine.ts';
import { eventExamples } from '../openapi/webhooks.ts';
import { withoutValidation } from '../stack/app.ts';
import { WebhookStack } from './webhook-stack.ts';

test('the handler prints an event that is posted to it', async () => {
  const port = await portToTake();
  const program = readFileSync(join(import.meta.dirname, 'handler.ts'), 'utf8');
  const file = join(temporaryDirectory(), 'handler.ts');
  writeFileSync(file, program.replace('4000', String(port)));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const post = () =>
    fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: JSON.stringify(approved) });
  await expect.poll(post).toMatchObject({ status: 200 });
  await expect
    .poll(() => output)
    .toContain("payment_request.approved {\n  approval: {\n    id: 'apprdec_");
  // Another address of this machine.
  await expect(fetch(`http://127.0.0.2:${port}/hook`)).rejects.toThrow('fetch failed');
});

const approved = eventExamples.find(({ type }) => type === 'payment_request.approved');

/** An event as a rule hands it to a function; EventBridge gives it an id of its own each time. */
const delivered = (detail: unknown) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'payment_request.approved',
  source: 'workforce-payments',
  account: '123456789012',
  time: '2026-11-01T10:00:00Z',
  region: 'us-east-1',
  resources: [],
  detail,
});

/** A table for Powertools' records. */
const newRecordsTable = async (): Promise<string> => {
  const TableName = `records-${randomUUID()}`;
  await createTable(TableName, ['id']);
  return TableName;
};

describe('the consumer', () => {
  // In a process of its own, because CDK prints what it bundles.
  const directory = buildDirectory();
  beforeAll(() =>
    promisify(execFile)(process.execPath, ['lib/consumers/app.ts'], {
      env: { ...childEnvironment(), CDK_OUTDIR: directory },
    }),
  );

  const start = async () => {
    const queues = new QueueService();
    const sqs = await startSqsServer(queues);
    onTestFinished(() => sqs.stop());
    const [settings] = await readFunctions(directory, queues, sqs.url);
    if (!settings) throw new Error('The stack has no function.');
    const PROCESSED_EVENTS = await newRecordsTable();
    const environment = {
      ...settings.environment,
      PROCESSED_EVENTS,
      AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
      AWS_ENDPOINT_URL_SQS: sqs.url,
    };
    const lambda = new LambdaFunction({ ...settings, timeoutMs: 30_000, environment }, () => {});
    onTestFinished(() => lambda.stop());
    const notices = async () => {
      const name = queues.names().find((each) => each.includes('Notices')) ?? '';
      return (await queues.receive(name, { maximum: 10 })).map(({ body }) => JSON.parse(body));
    };
    return { lambda, notices };
  };

  test('acts once on an event that comes again', async () => {
    const { lambda, notices } = await start();
    for (let times = 0; times < 3; times++) await lambda.invoke(delivered(approved));
    await lambda.invoke(delivered({ ...approved, id: 'evt_another' }));
    const notice = {
      worker: 'wr_amara',
      amount: '1250.00',
      currency: 'USD',
      reason: 'Matches the timesheet',
    };
    expect(await notices()).toEqual([notice, notice]);
  });

  test('fails on an event without an identifier, which is not ours', async () => {
    const { lambda, notices } = await start();
    await expect(lambda.invoke(delivered({}))).rejects.toThrow();
    expect(await notices()).toEqual([]);
  });

  test('gets the approvals of live workspaces, and nothing else', () => {
    const template = readFileSync(join(directory, 'Consumer.template.json'), 'utf8');
    Template.fromString(template).hasResourceProperties('AWS::Events::Rule', {
      EventBusName: 'WorkforcePayments-prod',
      EventPattern: {
        source: ['workforce-payments'],
        'detail-type': ['payment_request.approved'],
        detail: { livemode: [true] },
      },
    });
  });
});

/** What Powertools takes for a context of Lambda. */
const context = {
  awsRequestId: 'request',
  functionName: 'payer',
  memoryLimitInMB: '128',
  getRemainingTimeInMillis: () => 10_000,
} as Context;

test('the payer pays a payment request once, and nothing of a test workspace', async () => {
  const PAID_REQUESTS = await newRecordsTable();
  const paid: unknown[] = [];
  const statuses = [503];
  const PAYMENTS_URL = await serverOf(async (request, response) => {
    response.statusCode = statuses.shift() ?? 200;
    paid.push([response.statusCode, request.headers['idempotency-key'], await json(request)]);
    response.end();
  });
  Object.assign(process.env, { PAID_REQUESTS, PAYMENTS_URL });
  const { handler } = await import('./payer.ts');
  const send = (detail: unknown) => handler(delivered(detail) as never, context);

  await send({ ...approved, livemode: false });
  await expect(send({ ...approved, livemode: true })).rejects.toThrow('responded with 503');
  for (const id of ['evt_1', 'evt_1', 'evt_2']) await send({ ...approved, id, livemode: true });
  const payment = { worker: 'wr_amara', amount: '1250.00', currency: 'USD' };
  expect(paid).toEqual(
    [503, 200].map((status) => [status, expect.stringMatching(/^ptr_/), payment]),
  );
});

test('the webhook sends the events of one live workspace', () => {
  const app = new App({ outdir: buildDirectory(), ...withoutValidation });
  Template.fromStack(new WebhookStack(app, 'Webhook')).hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      source: ['workforce-payments'],
      detail: { workspace: ['wsp_1'], livemode: [true] },
    },
    Targets: [{ InputPath: '$.detail' }],
  });
});
