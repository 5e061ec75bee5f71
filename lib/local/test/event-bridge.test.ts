import {
  DeleteRuleCommand,
  DescribeReplayCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  StartReplayCommand,
  type StartReplayRequest,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { Clock } from '../clock.ts';
import { startEventBridgeServer } from '../event-bridge/event-bridge-server.ts';
import { EventBuses, type EventLog } from '../event-bridge/event-buses.ts';
import { type BusEvent, EventStore } from '../event-bridge/event-store.ts';
import { readEventBridge } from '../event-bridge/read-event-bridge.ts';
import { QueueService } from '../sqs/queue-service.ts';
import { readQueues } from '../sqs/queues.ts';
import { startSqsServer } from '../sqs/sqs-server.ts';
import { clientOf } from './client-of.ts';
import { readerIn, readerOf, synthesize } from './small-assembly.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** Starts the buses of a stack, and returns a client of them and what has arrived in a queue. */
const start = async (build: (stack: Stack) => void) => {
  const reader = readerIn(synthesize(build));
  const queues = new QueueService({ path: ':memory:' });
  onTestFinished(() => queues.close());
  for (const queue of readQueues(reader)) queues.create(queue);
  const definition = readEventBridge(reader);
  reader.requireRunnable();
  const clock = new Clock();
  clock.advance(nowMs - Date.now());
  const logs: EventLog[] = [];
  const failures: string[] = [];
  const store = new EventStore(':memory:');
  onTestFinished(() => store.close());
  const buses = new EventBuses({
    definition,
    store,
    queues,
    clock,
    onEvent: (log) => logs.push(log),
    onFailure: (line) => failures.push(line),
  });
  const server = await startEventBridgeServer(buses);
  onTestFinished(() => server.stop());
  const client = clientOf(EventBridgeClient, server.url);
  const received = async (queue: string): Promise<BusEvent[]> => {
    const messages = await queues.receive(queue, { maximum: 10, waitMs: 0 });
    return messages.map(({ body }) => JSON.parse(body));
  };
  return { client, received, logs, failures, queues, clock };
};

const bounce = {
  Source: 'aws.ses',
  DetailType: 'Email Bounced',
  Resources: ['arn:aws:ses:us-east-1:000000000000:configuration-set/mail'],
  Detail: JSON.stringify({ mail: { tags: { 'ses:configuration-set': ['mail'], offer: ['o'] } } }),
};

const bounces = (stack: Stack, id: string) => {
  const queue = new Queue(stack, `${id}Queue`, { queueName: id });
  const target = new SqsQueue(queue, { deadLetterQueue: new Queue(stack, `${id}Dead`) });
  const detail = { mail: { tags: { 'ses:configuration-set': ['mail'] } } };
  const eventPattern = { source: ['aws.ses'], detailType: ['Email Bounced'], detail };
  return new Rule(stack, `${id}Rule`, { eventPattern, targets: [target] });
};

test('EventBridge puts the whole event into the queue of each rule that it matches', async () => {
  const { client, received, logs } = await start((stack) => {
    bounces(stack, 'one');
    bounces(stack, 'two');
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
  expect(logs.map(({ event: { id }, targets }) => [id, targets])).toEqual([
    [EventId, ['one', 'two']],
    [Entries[1]?.EventId, []],
  ]);
});

test('EventBridge takes the time of an event from its sender', async () => {
  const { client, received } = await start((stack) => bounces(stack, 'one'));
  const Time = new Date('2025-05-06T07:08:09Z');
  await client.send(new PutEventsCommand({ Entries: [{ ...bounce, Time }] }));

  expect(await received('one')).toMatchObject([{ time: '2025-05-06T07:08:09Z' }]);
});

test('EventBridge refuses an entry that is no event, and takes the others', async () => {
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

/** A new bus with an archive, and two rules with a queue each. */
const shop = (stack: Stack) => {
  const bus = new EventBus(stack, 'Bus', { eventBusName: 'shop' });
  bus.archive('Archive', {
    archiveName: 'kept',
    eventPattern: { source: ['orders'] },
    retention: Duration.days(1),
  });
  const eventPattern = { source: ['orders'] };
  for (const name of ['bills', 'stock']) {
    const queue = new Queue(stack, `${name}Queue`, { queueName: name });
    new Rule(stack, name, {
      ruleName: name,
      eventBus: bus,
      eventPattern,
      targets: [new SqsQueue(queue)],
    });
  }
};

const order = (id: number, Time = new Date(nowMs)) => ({
  EventBusName: 'shop',
  Source: 'orders',
  DetailType: 'created',
  Detail: JSON.stringify({ id }),
  Time,
});

const ids = (events: readonly BusEvent[]) =>
  events.map(({ detail }) => (detail as { id: number }).id);

test('a bus of the template has rules of its own', async () => {
  const { client, received } = await start(shop);
  const elsewhere = { ...order(1), EventBusName: 'default' };
  const byArn = {
    ...order(3),
    EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/shop',
  };
  await client.send(new PutEventsCommand({ Entries: [elsewhere, order(2), byArn] }));

  expect(ids(await received('bills'))).toEqual([2, 3]);
});

test('a queue that refuses an event keeps it from no other target', async () => {
  const { client, received, failures, queues } = await start((stack) => {
    bounces(stack, 'one');
    bounces(stack, 'two');
  });
  const event = { ...bounce, Detail: bounce.Detail.replace('"o"', '"\uffff"') };
  const { FailedEntryCount } = await client.send(
    new PutEventsCommand({ Entries: [event, bounce] }),
  );
  expect(FailedEntryCount).toBe(0);
  expect(await received('one')).toHaveLength(1);
  expect(failures).toHaveLength(4);

  queues.remove('one');
  const { Entries } = await client.send(new PutEventsCommand({ Entries: [bounce] }));
  expect(await received('two')).toHaveLength(2);
  expect(await received(queues.names().find((name) => name.includes('oneDead')) ?? '')).toEqual([
    expect.objectContaining({ id: Entries?.[0]?.EventId }),
  ]);
  expect(failures[4]).toBe(
    `one refused event ${Entries?.[0]?.EventId} (ServiceError: The specified queue does not exist.)`,
  );
});

const archiveArn = 'arn:aws:events:us-east-1:000000000000:archive/kept';
const busArn = 'arn:aws:events:us-east-1:000000000000:event-bus/shop';
const replayOf = (fields: Partial<StartReplayRequest> = {}): StartReplayCommand =>
  new StartReplayCommand({
    ReplayName: 'again',
    EventSourceArn: archiveArn,
    EventStartTime: new Date(nowMs - 60_000),
    EventEndTime: new Date(nowMs + 60_000),
    Destination: { Arn: busArn },
    ...fields,
  });

test('an archive keeps what matches its pattern, and a replay hands a span of it to the bus again', async () => {
  const { client, received } = await start(shop);
  const before = new Date(nowMs - 120_000);
  const Entries = [order(1, before), order(2), { ...order(3), Source: 'returns' }, order(4)];
  await client.send(new PutEventsCommand({ Entries }));
  const first = await received('bills');
  expect(ids(first)).toEqual([1, 2, 4]);

  await client.send(replayOf());
  const again = await received('bills');
  expect(again).toEqual(first.slice(1).map((event) => ({ ...event, 'replay-name': 'again' })));
  expect(await client.send(new DescribeReplayCommand({ ReplayName: 'again' }))).toMatchObject({
    State: 'COMPLETED',
  });

  // What is replayed is not kept a second time, and a replay may be for one rule alone.
  expect(ids(await received('stock'))).toEqual([1, 2, 4, 2, 4]);
  const FilterArns = ['arn:aws:events:us-east-1:000000000000:rule/shop/stock'];
  await client.send(
    replayOf({ ReplayName: 'once more', Destination: { Arn: busArn, FilterArns } }),
  );
  expect(ids(await received('stock'))).toEqual([2, 4]);
  expect(await received('bills')).toEqual([]);
});

test('an archive forgets what is older than its retention', async () => {
  const { client, received, clock } = await start(shop);
  await client.send(new PutEventsCommand({ Entries: [order(1)] }));
  await received('bills');
  clock.advance(2 * 86_400_000);
  await client.send(replayOf());
  expect(await received('bills')).toEqual([]);
});

test('a replay needs an archive, and a name of its own', async () => {
  const { client } = await start(shop);
  const replay = (fields: Partial<StartReplayRequest>) => client.send(replayOf(fields));
  await expect(replay({ EventSourceArn: `${archiveArn}-not` })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
  await replay({});
  await expect(replay({})).rejects.toMatchObject({ name: 'ResourceAlreadyExistsException' });
  await expect(
    client.send(new DescribeReplayCommand({ ReplayName: 'other' })),
  ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

test('a rule can be added for a while, with a queue that did not exist', async () => {
  const { client, queues, received } = await start(shop);
  const sqsServer = await startSqsServer(queues);
  onTestFinished(() => sqsServer.stop());
  const sqs = clientOf(SQSClient, sqsServer.url);
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({ QueueName: 'mine', Attributes: { MessageRetentionPeriod: '60' } }),
  );
  const rule = { EventBusName: 'shop', Rule: 'mine' };
  const EventPattern = JSON.stringify({ source: ['returns'] });
  const { RuleArn } = await client.send(
    new PutRuleCommand({ EventBusName: 'shop', Name: 'mine', EventPattern }),
  );
  expect(RuleArn).toBe('arn:aws:events:us-east-1:000000000000:rule/shop/mine');
  const Targets = [{ Id: '1', Arn: 'arn:aws:sqs:us-east-1:000000000000:mine' }];
  await client.send(new PutTargetsCommand({ ...rule, Targets }));
  const put = () =>
    client.send(new PutEventsCommand({ Entries: [order(1), { ...order(2), Source: 'returns' }] }));

  await put();
  expect(ids(await received('mine'))).toEqual([2]);
  await client.send(new RemoveTargetsCommand({ ...rule, Ids: ['1'] }));
  await client.send(new DeleteRuleCommand({ EventBusName: 'shop', Name: 'mine' }));
  await put();
  expect(await received('mine')).toEqual([]);
  await expect(client.send(new PutTargetsCommand({ ...rule, Targets }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  expect(queues.names()).not.toContain('mine');
});

test.each([
  [{ EventPattern: {}, EventBusName: 'other' }, /other, which is not/],
  [{ EventPattern: {}, Targets: [{ Id: 'a', Arn: 'arn:aws:sqs:a:b:gone' }] }, /gone, which is not/],
])(
  'EventBridge does not start with a rule of something that the template lacks: %j',
  (Properties, message) => {
    const reader = readerOf({ Rule: { Type: 'AWS::Events::Rule', Properties } });
    readEventBridge(reader);
    expect(() => reader.requireRunnable()).toThrow(message);
  },
);
