import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { expect, onTestFinished, test } from 'vitest';
import { Clock } from '../clock.ts';
import { startEventBridgeServer } from '../event-bridge/event-bridge-server.ts';
import { EventBuses, type EventLog, readRules } from '../event-bridge/event-buses.ts';
import { QueueService } from '../sqs/queue-service.ts';
import { clientOf } from './client-of.ts';
import { arnOf, resource, templateOf } from './small-assembly.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

const ruleOf = (EventPattern: object, queue: string, EventBusName?: object) =>
  resource('AWS::Events::Rule', { EventPattern, EventBusName, Targets: [{ Arn: arn(queue) }] });

const bounced = { source: ['aws.ses'], detail: { mail: { tags: { set: ['mail'] } } } };

/** Starts the buses of a template with these rules, and returns what has arrived in a queue. */
const start = async () => {
  const queues = new QueueService();
  const queueOf = (name: string) => queues.create({ name, visibilityTimeoutMs: 1000 });
  for (const name of ['one', 'two', 'bills', 'mine']) queueOf(name);
  const clock = new Clock();
  clock.advance(nowMs - Date.now());
  const logs: EventLog[] = [];
  const rules = readRules(
    templateOf({
      One: ruleOf(bounced, 'one'),
      Two: ruleOf(bounced, 'two'),
      Bus: resource('AWS::Events::EventBus', { Name: 'shop' }),
      Bills: ruleOf({ source: ['orders'] }, 'bills', arnOf('Bus')),
    }),
  );
  const buses = new EventBuses(rules, queues, clock, (log) => logs.push(log));
  const server = await startEventBridgeServer(buses);
  onTestFinished(() => server.stop());
  const received = async (queue: string): Promise<object[]> =>
    (await queues.receive(queue, { maximum: 10 })).map(({ body }) => JSON.parse(body));
  return { client: clientOf(EventBridgeClient, server.url), received, logs, queues };
};

const bounce = {
  Source: 'aws.ses',
  DetailType: 'Email Bounced',
  Resources: ['arn:aws:ses:us-east-1:000000000000:configuration-set/mail'],
  Detail: JSON.stringify({ mail: { tags: { set: ['mail'] } } }),
};
const order = { Source: 'orders', DetailType: 'created', Detail: '{}' };

test('EventBridge puts the whole event into the queue of each rule that it matches', async () => {
  const { client, received, logs } = await start();
  const Time = new Date('2025-05-06T07:08:09Z');
  const other = { ...bounce, Detail: '{"mail":{"tags":{"set":["other"]}}}' };
  const { FailedEntryCount, Entries = [] } = await client.send(
    new PutEventsCommand({ Entries: [bounce, { ...bounce, Time }, other] }),
  );

  expect(FailedEntryCount).toBe(0);
  const event = {
    version: '0',
    id: Entries[0]?.EventId,
    'detail-type': 'Email Bounced',
    source: 'aws.ses',
    account: '000000000000',
    time: expect.stringMatching(/^2026-01-02T03:\d\d:\d\dZ$/),
    region: 'us-east-1',
    resources: bounce.Resources,
    detail: JSON.parse(bounce.Detail),
  };
  const timed = { ...event, id: Entries[1]?.EventId, time: '2025-05-06T07:08:09Z' };
  expect(await received('one')).toEqual([event, timed]);
  expect(await received('two')).toEqual([event, timed]);
  expect(logs.map(({ event: { id }, targets }) => [id, targets])).toEqual([
    [Entries[0]?.EventId, ['one', 'two']],
    [Entries[1]?.EventId, ['one', 'two']],
    [Entries[2]?.EventId, []],
  ]);
});

test('a rule can be added for a while, and a queue that is gone keeps no event from the others', async () => {
  const { client, queues, received } = await start();
  const rule = { EventBusName: 'shop', Rule: 'mine' };
  const EventPattern = JSON.stringify({ source: ['orders'] });
  const { RuleArn } = await client.send(
    new PutRuleCommand({ EventBusName: 'shop', Name: 'mine', EventPattern }),
  );
  expect(RuleArn).toBe('arn:aws:events:us-east-1:000000000000:rule/shop/mine');
  const targets = new PutTargetsCommand({ ...rule, Targets: [{ Id: '1', Arn: arn('mine') }] });
  await client.send(targets);
  // By its name, by its ARN, and to the bus that has no such rule.
  const busArn = 'arn:aws:events:us-east-1:0:event-bus/shop';
  const Entries = ['shop', busArn, 'default'].map((EventBusName) => ({ ...order, EventBusName }));
  const put = () => client.send(new PutEventsCommand({ Entries }));

  await put();
  expect(await received('mine')).toHaveLength(2);
  queues.remove('mine');
  await put();
  expect(queues.attributes('bills')).toMatchObject({ visible: 4, inFlight: 0 });
  await client.send(new RemoveTargetsCommand({ ...rule, Ids: ['1'] }));
  await client.send(new DeleteRuleCommand({ EventBusName: 'shop', Name: 'mine' }));
  await expect(client.send(targets)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
