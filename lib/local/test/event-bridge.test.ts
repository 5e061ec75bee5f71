import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Clock } from '../clock.ts';
import { startEventBridgeServer } from '../event-bridge/event-bridge-server.ts';
import { EventBuses, type EventLog, readRules } from '../event-bridge/event-buses.ts';
import { QueueService } from '../sqs/queue-service.ts';
import { clientOf } from './client-of.ts';
import { arnOf, resource, templateOf } from './small-assembly.ts';

const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
const ruleOf = (EventPattern: object, queue: string, EventBusName?: object) =>
  resource('AWS::Events::Rule', { EventPattern, EventBusName, Targets: [{ Arn: arn(queue) }] });
const bounced = { source: ['aws.ses'], detail: { mail: { tags: { set: ['mail'] } } } };
const template = templateOf({
  One: ruleOf(bounced, 'one'),
  Two: ruleOf(bounced, 'two'),
  Bus: resource('AWS::Events::EventBus', { Name: 'shop' }),
  Bills: ruleOf({ source: ['orders'] }, 'bills', arnOf('Bus')),
});

let queues: QueueService;
let logs: EventLog[];
let client: EventBridgeClient;

beforeEach(async () => {
  queues = new QueueService();
  for (const name of ['one', 'two', 'bills', 'mine'])
    queues.create({ name, visibilityTimeoutMs: 1000 });
  logs = [];
  const clock = new Clock();
  clock.advance(Date.UTC(2026, 0, 2, 3, 4, 5, 678) - Date.now());
  const buses = new EventBuses(readRules(template), queues, clock, (log) => logs.push(log));
  const server = await startEventBridgeServer(buses);
  onTestFinished(() => server.stop());
  client = clientOf(EventBridgeClient, server.url);
});

const put = (...Entries: PutEventsRequestEntry[]) => client.send(new PutEventsCommand({ Entries }));
const received = async (queue: string): Promise<object[]> =>
  (await queues.receive(queue, { maximum: 10 })).map(({ body }) => JSON.parse(body));

test('EventBridge puts the whole event into the queue of each rule that it matches', async () => {
  const bounce = {
    Source: 'aws.ses',
    DetailType: 'Email Bounced',
    Resources: ['arn:aws:ses:us-east-1:000000000000:configuration-set/mail'],
    Detail: JSON.stringify({ mail: { tags: { set: ['mail'] } } }),
  };
  const Time = new Date('2025-05-06T07:08:09Z');
  const other = { ...bounce, Detail: '{"mail":{"tags":{"set":["other"]}}}' };
  const { FailedEntryCount, Entries = [] } = await put(bounce, { ...bounce, Time }, other);
  expect(FailedEntryCount).toBe(0);
  const ids = Entries.map(({ EventId }) => EventId);
  const event = {
    version: '0',
    id: ids[0],
    'detail-type': 'Email Bounced',
    source: 'aws.ses',
    account: '000000000000',
    time: expect.stringMatching(/^2026-01-02T03:\d\d:\d\dZ$/),
    region: 'us-east-1',
    resources: bounce.Resources,
    detail: JSON.parse(bounce.Detail),
  };
  const expected = [event, { ...event, id: ids[1], time: '2025-05-06T07:08:09Z' }];
  expect([await received('one'), await received('two')]).toEqual([expected, expected]);
  const targets = ['one', 'two'];
  expect(logs).toMatchObject([{ targets }, { targets }, { event: { id: ids[2] }, targets: [] }]);
});

test('a rule can be added for a while, and a queue that is gone keeps no event from the others', async () => {
  const rule = { EventBusName: 'shop', Rule: 'mine' };
  const EventPattern = JSON.stringify({ source: ['orders'] });
  const putRule = new PutRuleCommand({ EventBusName: 'shop', Name: 'mine', EventPattern });
  await client.send(putRule);
  const targets = new PutTargetsCommand({ ...rule, Targets: [{ Id: '1', Arn: arn('mine') }] });
  await client.send(targets);
  // By its name, by its ARN, and to the bus that has no such rule.
  const names = ['shop', 'arn:aws:events:us-east-1:0:event-bus/shop', 'default'];
  const order = { Source: 'orders', DetailType: 'created', Detail: '{}' };
  const entries = names.map((EventBusName) => ({ ...order, EventBusName }));

  await put(...entries);
  expect(await received('mine')).toHaveLength(2);
  queues.remove('mine');
  await put(...entries);
  expect(queues.attributes('bills')).toMatchObject({ visible: 4 });
  await client.send(new RemoveTargetsCommand({ ...rule, Ids: ['1'] }));
  await client.send(new DeleteRuleCommand({ EventBusName: 'shop', Name: 'mine' }));
  await expect(client.send(targets)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
