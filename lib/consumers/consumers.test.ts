import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { DeleteQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../../test/support/child-environment.ts';
import { createTable } from '../../test/support/create-table.ts';
import { send } from '../../test/support/http.ts';
import { create } from '../../test/support/keyed-operations.ts';
import { stack } from '../../test/support/running-stack.ts';
import { portToTake, serverOf } from '../../test/support/servers.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { newTenant } from '../../test/support/tenants.ts';
import { buildDirectory } from '../bundles/build-directory.ts';
import {
  Clock,
  consumeQueue,
  LambdaFunction,
  QueueService,
  readFunctions,
  startSqsServer,
} from '../local/local-engine.ts';
import { eventExamples } from '../openapi/webhooks.ts';
import { withoutValidation } from '../stack/app.ts';
import { WebhookStack } from './webhook-stack.ts';

const run = promisify(execFile);

test('the handler prints an event that is posted to it, and survives what is not JSON', async () => {
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
  const post = (body: string) => fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body });
  await expect.poll(() => post('{')).toMatchObject({ status: 400 });
  expect(await post(JSON.stringify(approved))).toMatchObject({ status: 200 });
  await expect
    .poll(() => output)
    .toContain("payment_request.approved {\n  approval: {\n    id: 'apprdec_");
  // Another address of this machine.
  await expect(fetch(`http://127.0.0.2:${port}/hook`)).rejects.toThrow('fetch failed');
});

const approved = eventExamples.find(({ type }) => type === 'payment_request.approved');

const payment = { worker: 'wr_amara', amount: '1250.00', currency: 'USD' };

/** An approval of a payment request; each has an event of its own. */
const approvalOf = (id: string | undefined, event = 'evt_1', approval: object = {}) => ({
  ...approved,
  id: event,
  data: { approval, payment_request: { ...payment, id, status: 'approved' } },
});

/** Instead of a status. */
const hangs = 0;

/** A payment provider that responds with these statuses, and then with 200; and its requests. */
const providerOf = async (statuses: number[]) => {
  const requests: unknown[] = [];
  const url = await serverOf(async (request, response) => {
    if (request.url === '/login') return void response.end('A page');
    const status = statuses.shift() ?? 200;
    requests.push([status, request.headers['idempotency-key'], await json(request)]);
    if (status !== hangs) response.writeHead(status, { Location: '/login' }).end();
  });
  return { url, requests };
};

describe('the payer', () => {
  // In a process of its own, because CDK prints what it bundles.
  const directory = buildDirectory();
  beforeAll(() =>
    run(process.execPath, ['lib/consumers/app.ts'], {
      env: { ...childEnvironment(), CDK_OUTDIR: directory },
    }),
  );

  /** Runs the stack's function and its mapping, beside a payment provider. */
  const start = async (...statuses: number[]) => {
    const clock = new Clock();
    const queues = new QueueService(() => clock.now());
    const sqs = await startSqsServer(queues);
    onTestFinished(() => sqs.stop());
    const [settings] = await readFunctions(directory, queues, sqs.url);
    if (!settings) throw new Error('The stack has no function.');
    const { url, requests } = await providerOf(statuses);
    const PAID_REQUESTS = `records-${randomUUID()}`;
    await createTable(PAID_REQUESTS, ['id']);
    const environment = {
      ...settings.environment,
      PAID_REQUESTS,
      PAYMENTS_URL: url,
      AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
      AWS_ENDPOINT_URL_SQS: sqs.url,
    };
    const lambda = new LambdaFunction({ ...settings, clock, environment }, () => {});
    const queueName = queues.names().find((name) => name.includes('Approvals')) ?? '';
    const { visibilityTimeoutMs } = queues.settings(queueName);
    const ends: string[] = [];
    const mapping = consumeQueue(
      { queue: queues, queueName, target: lambda, batchSize: 10, maximumConcurrency: 2 },
      ({ messageIds, failed }) => {
        ends.push(...messageIds.map((id) => (failed.includes(id) ? 'failed' : 'consumed')));
      },
    );
    onTestFinished(async () => {
      await Promise.all([mapping.stop(), lambda.stop()]);
    });
    /** How each message ends: what has failed comes again, and events are new. */
    const consume = async (...events: unknown[]): Promise<string[]> => {
      clock.advance(visibilityTimeoutMs);
      // EventBridge gives an event another id each time.
      for (const detail of events) {
        queues.send(queueName, { body: JSON.stringify({ id: randomUUID(), detail }) });
      }
      const { visible } = queues.attributes(queueName);
      await expect.poll(() => ends).toHaveLength(visible);
      return ends.splice(0);
    };
    const letters = async () => {
      const name = queues.names().find((each) => each.includes('DeadLetters')) ?? '';
      const messages = await queues.receive(name, { maximum: 100 });
      return messages.map(({ body, attributes }) => [
        JSON.parse(body).detail.data.payment_request.id,
        attributes?.reason?.StringValue,
      ]);
    };
    return { clock, lambda, consume, requests, letters };
  };

  test('pays each payment request once, also when its provider is down for an hour', async () => {
    const down = [302, ...Array<number>(11).fill(503)];
    const { consume, requests } = await start(...down);
    expect(await consume(approvalOf('ptr_1'))).toEqual(['failed']);
    for (const _ of down.slice(1)) expect(await consume()).toEqual(['failed']);
    expect(await consume()).toEqual(['consumed']);
    const later = [approvalOf('ptr_1'), approvalOf('ptr_1', 'evt_2'), approvalOf('ptr_2', 'evt_3')];
    expect(await consume(...later)).toEqual(['consumed', 'consumed', 'consumed']);
    expect(requests).toEqual([
      ...[...down, 200].map((status) => [status, 'ptr_1', payment]),
      [200, 'ptr_2', payment],
    ]);
  });

  test('pays by the same key when it died while the provider did not respond', async () => {
    const { lambda, consume, requests } = await start(hangs);
    const end = consume(approvalOf('ptr_1'));
    await expect.poll(() => requests).toHaveLength(1);
    await lambda.killBusyInstances();
    expect(await end).toEqual(['failed']);
    expect(await consume()).toEqual(['consumed']);
    expect(requests).toEqual([hangs, 200].map((status) => [status, 'ptr_1', payment]));
  });

  test('does not pay again within ten years, nor does its successor', async () => {
    const { clock, lambda, consume, requests } = await start();
    expect(await consume(approvalOf('ptr_1'))).toEqual(['consumed']);
    clock.advance(9.9 * 365 * 86_400_000);
    await lambda.update({ name: 'Successor' });
    expect(await consume(approvalOf('ptr_1'))).toEqual(['consumed']);
    expect(requests).toHaveLength(1);
  });

  test('pays what was open or says no status, and puts what had ended before a person', async () => {
    const { consume, requests, letters } = await start();
    const ended = ['rejected', 'paid', 'cancelled', 'unknown'];
    const statuses = [undefined, 'draft', 'pending', 'approved', ...ended];
    const events = statuses.map((status) =>
      approvalOf(`ptr_${status}`, 'evt_1', { previous_status: status }),
    );
    const all = Array<string>(events.length).fill('consumed');
    for (let times = 0; times < 2; times++) expect(await consume(...events)).toEqual(all);
    const paid = statuses.slice(0, 3).map((status) => [200, `ptr_${status}`, payment]);
    expect(requests.sort()).toEqual(paid.sort());
    const refused = ended.map((status) => [
      `ptr_${status}`,
      `It was ${status} when it was approved.`,
    ]);
    expect((await letters()).sort()).toEqual([...refused, ...refused].sort());
    // In any order: a refused event has not used up the id.
    const earlier = approvalOf('ptr_cancelled', 'evt_0', { previous_status: 'pending' });
    expect(await consume(earlier)).toEqual(['consumed']);
    expect(requests.at(-1)).toEqual([200, 'ptr_cancelled', payment]);
  });

  test('pays nothing of an event without a payment request, which is not ours', async () => {
    const { consume, requests } = await start();
    const events = [approvalOf(undefined), approvalOf('ptr_1')];
    expect(await consume(...events)).toEqual(['failed', 'consumed']);
    expect(requests).toEqual([[200, 'ptr_1', payment]]);
  });

  test('gets the approvals of live workspaces of its company, and keeps what is not paid', () => {
    const text = readFileSync(join(directory, 'Payer.template.json'), 'utf8');
    const template = Template.fromString(text);
    const DeadLetterConfig = { Arn: { 'Fn::GetAtt': Match.arrayWith(['Arn']) } };
    template.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: 'WorkforcePayments-prod',
      EventPattern: {
        source: ['workforce-payments'],
        'detail-type': ['payment_request.approved'],
        detail: { livemode: [true], workspace: ['wsp_1'] },
      },
      Targets: [{ DeadLetterConfig }],
    });
    template.allResourcesProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 14 * 86_400 });
    template.hasResourceProperties('AWS::SQS::Queue', {
      VisibilityTimeout: 300,
      // For 12 hours.
      RedrivePolicy: { maxReceiveCount: 200 },
    });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    for (const alarm of [
      { Metrics: Match.arrayWith([Match.objectLike({ Expression: 'DIFF(letters)' })]) },
      { MetricName: 'ApproximateAgeOfOldestMessage', Threshold: 480 },
    ]) {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        ...alarm,
        AlarmActions: [{ Ref: Match.stringLikeRegexp('Alarms') }],
      });
    }
  });
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

const hasBoto3 = await run('python3', ['-c', 'import boto3']).then(
  () => true,
  () => false,
);

test.skipIf(!hasBoto3)(
  'the programs in Python of lib/EVENTS.md store an event of the local run, and delete its message',
  async () => {
    const page = readFileSync(join(import.meta.dirname, '../EVENTS.md'), 'utf8');
    const [reader = '', rule = ''] = page
      .matchAll(/^```python\n(.*?)^```$/gms)
      .map(([, code = '']) => code);
    const env = { ...childEnvironment(), AWS_DEFAULT_REGION: 'us-east-1' };
    const QueueUrl = (await run('python3', ['-c', rule], { env })).stdout.trim();
    const sqs = new SQSClient();
    onTestFinished(async () => {
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    });
    const cwd = temporaryDirectory();
    const program = spawn('python3', ['-c', reader], { cwd, env: { ...env, QUEUE_URL: QueueUrl } });
    onTestFinished(() => void program.kill());
    const { token } = await newTenant();
    const { body } = await send(create, { name: 'Try' }, { token });
    const stored = () => readFileSync(join(cwd, 'events.db'), 'latin1');
    await expect.poll(stored).toContain(`evt_${body.id}_created`);
    const left = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    await expect
      .poll(async () => (await sqs.send(left)).Attributes)
      .toMatchObject({
        ApproximateNumberOfMessages: '0',
        ApproximateNumberOfMessagesNotVisible: '0',
      });
  },
);
