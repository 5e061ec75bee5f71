import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { Clock } from '../clock.ts';
import { EventBus, type EventLog } from '../events/event-bus.ts';
import { startEventsServer } from '../events/events-server.ts';
import { readRules } from '../events/rules.ts';
import { QueueService } from '../sqs/queue-service.ts';
import { createQueues } from '../sqs/queues.ts';
import { Template } from '../template/template.ts';
import { assemblyOf, synthesize } from './assembly.ts';
import { clientOf } from './client-of.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const load = (assemblyDirectory: string) => {
  const template = new Template(assemblyDirectory);
  const queues = new QueueService({ path: ':memory:' });
  onTestFinished(() => queues.close());
  createQueues(template, queues, 'http://sqs');
  return { template, queues, rules: readRules(template, queues) };
};

/** Starts the bus of a stack, and returns a client of it and what has arrived in a queue. */
const start = async (build: (stack: Stack) => void) => {
  const { template, queues, rules } = load(synthesize(build));
  const clock = new Clock();
  clock.advance(nowMs - Date.now());
  const logs: EventLog[] = [];
  const server = await startEventsServer(
    new EventBus({ rules, queues, clock, onEvent: (log) => logs.push(log) }),
  );
  onTestFinished(() => server.stop());
  const client = clientOf(EventBridgeClient, server.url);
  const received = async (queue: string) => {
    const messages = await queues.receive(queue, { maximum: 10, waitMs: 0 });
    return messages.map(({ body }) => JSON.parse(body));
  };
  return { client, received, logs, template };
};

const bounce = {
  Source: 'aws.ses',
  DetailType: 'Email Bounced',
  Resources: ['arn:aws:ses:us-east-1:000000000000:configuration-set/mail'],
  Detail: JSON.stringify({ mail: { tags: { 'ses:configuration-set': ['mail'], offer: ['o'] } } }),
};

const bounces = (stack: Stack, id: string, properties: { enabled?: boolean } = {}) => {
  const queue = new Queue(stack, `${id}Queue`, { queueName: id });
  const target = new SqsQueue(queue, {
    deadLetterQueue: new Queue(stack, `${id}Dead`),
    retryAttempts: 3,
  });
  const detail = { mail: { tags: { 'ses:configuration-set': ['mail'] } } };
  const eventPattern = { source: ['aws.ses'], detailType: ['Email Bounced'], detail };
  return new Rule(stack, `${id}Rule`, { eventPattern, targets: [target], ...properties });
};

test('puts the whole event into the queue of each rule that it matches', async () => {
  const { client, received, logs } = await start((stack) => {
    bounces(stack, 'one');
    bounces(stack, 'two');
    bounces(stack, 'off', { enabled: false });
  });
  const other = { ...bounce, Detail: '{"mail":{"tags":{"ses:configuration-set":["other"]}}}' };
  const { FailedEntryCount, Entries = [] } = await client.send(
    new PutEventsCommand({ Entries: [bounce, other] }),
  );

  expect(FailedEntryCount).toBe(0);
  const [{ EventId } = {}] = Entries;
  const event = {
    version: '0',
    id: EventId,
    'detail-type': 'Email Bounced',
    source: 'aws.ses',
    account: '000000000000',
    time: expect.stringMatching(/^2026-01-02T03:\d\d:\d\dZ$/),
    region: 'us-east-1',
    resources: bounce.Resources,
    detail: JSON.parse(bounce.Detail),
  };
  expect(await received('one')).toEqual([event]);
  expect(await received('two')).toEqual([event]);
  expect(await received('off')).toEqual([]);
  expect(logs.map(({ id, queues }) => [id, queues])).toEqual([
    [EventId, ['one', 'two']],
    [Entries[1]?.EventId, []],
  ]);
});

test('takes the time of an event from its sender', async () => {
  const { client, received } = await start((stack) => bounces(stack, 'one'));
  const Time = new Date('2025-05-06T07:08:09Z');
  await client.send(new PutEventsCommand({ Entries: [{ ...bounce, Time }] }));

  expect(await received('one')).toMatchObject([{ time: '2025-05-06T07:08:09Z' }]);
});

test('refuses an entry that is no event, and takes the others', async () => {
  const { client, received } = await start((stack) => bounces(stack, 'one'));
  const entries = [
    { ...bounce, Source: undefined },
    { ...bounce, DetailType: undefined },
    { ...bounce, Detail: undefined },
    { ...bounce, Detail: '{' },
    { ...bounce, Detail: '[]' },
    { ...bounce, EventBusName: 'other' },
    bounce,
  ];
  const answer = await client.send(new PutEventsCommand({ Entries: entries }));

  expect(answer.FailedEntryCount).toBe(6);
  expect(answer.Entries?.map(({ ErrorCode, EventId }) => ErrorCode ?? typeof EventId)).toEqual([
    ...['InvalidArgument', 'InvalidArgument', 'InvalidArgument'],
    ...['MalformedDetail', 'MalformedDetail', 'InvalidArgument', 'string'],
  ]);
  expect(await received('one')).toHaveLength(1);
  for (const Entries of [[], Array(11).fill(bounce), [{ ...bounce, Source: 7 }]]) {
    await expect(client.send(new PutEventsCommand({ Entries }))).rejects.toMatchObject({
      name: 'ValidationException',
    });
  }
});

test('reports what a rule asks for and does not get', async () => {
  const { template } = await start((stack) => {
    const queue = new Queue(stack, 'Queue');
    const message = RuleTargetInput.fromText('changed');
    new Rule(stack, 'Rule', {
      eventPattern: { source: ['aws.ses'] },
      targets: [new SqsQueue(queue, { message })],
    });
  });
  expect(template.notHonoured()).toContainEqual(
    expect.stringMatching(/^Targets\.Input of Rule\w+ \(AWS::Events::Rule\)$/),
  );
});

test.each([
  [{ EventPattern: {}, EventBusName: 'other' }, /EventBusName/],
  [{ EventPattern: {}, Targets: [{ Id: 'a', Arn: 'arn:aws:lambda:a:b:c' }] }, /only queues/],
  [{ EventPattern: {}, Targets: [{ Id: 'a', Arn: 'arn:aws:sqs:a:b:gone' }] }, /gone, which is not/],
  [{ EventPattern: { source: [{ wildcard: '*' }] } }, /'wildcard' at '\/source'/],
])('does not start with a rule that it could not follow: %j', (Properties, message) => {
  const Resources = { Rule: { Type: 'AWS::Events::Rule', Properties } };
  expect(() => load(assemblyOf({ Resources }))).toThrow(message);
});
