import {
  EventBridge,
  type PutEventsRequestEntry,
  type PutRuleRequest,
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
let client: EventBridge;

beforeEach(async () => {
  queues = new QueueService();
  for (const name of ['one', 'two', 'bills', 'mine'])
    queues.create({ name, visibilityTimeoutMs: 600_000 });
  logs = [];
  const clock = new Clock();
  clock.advance(Date.UTC(2026, 0, 2, 3, 4, 5, 678) - Date.now());
  const buses = new EventBuses(['shop'], readRules(template), queues, clock, (log) =>
    logs.push(log),
  );
  const server = await startEventBridgeServer(buses);
  onTestFinished(() => server.stop());
  client = clientOf(EventBridge, server.url);
});

const put = (...Entries: PutEventsRequestEntry[]) => client.putEvents({ Entries });
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

const order = { Source: 'orders', DetailType: 'created', Detail: '{}' };
const putRule = (others: Partial<PutRuleRequest> = {}) =>
  client.putRule({
    EventBusName: 'shop',
    Name: 'mine',
    EventPattern: JSON.stringify({ source: ['orders'] }),
    ...others,
  });
const rule = { EventBusName: 'shop', Rule: 'mine' };
const targetOf = (name: string) => ({ Id: name, Arn: arn(name), DeadLetterConfig: {} });

test('a rule and its targets can be added for a while, and a queue that is gone keeps no event from the others', async () => {
  const { RuleArn } = await putRule();
  expect(RuleArn).toBe('arn:aws:events:us-east-1:000000000000:rule/shop/mine');
  for (const name of ['mine', 'one']) {
    await client.putTargets({ ...rule, Targets: [targetOf(name)] });
  }
  await putRule({ Description: 'With the same targets' });
  // By its name, by its ARN, and to buses that have no such rule.
  const names = ['shop', 'arn:aws:events:us-east-1:0:event-bus/shop', 'default', 'unknown'];
  const all = names.map((EventBusName) => ({ ...order, EventBusName }));
  await put(...all);
  expect(await received('mine')).toHaveLength(2);
  expect(await received('one')).toHaveLength(2);

  queues.remove('mine');
  await client.removeTargets({ ...rule, Ids: ['other'] });
  await put(...all);
  expect(queues.attributes('bills')).toMatchObject({ visible: 4 });
  await client.removeTargets({ ...rule, Ids: ['one'] });
  await putRule({ State: 'DISABLED' });
  await client.putTargets({ ...rule, Targets: [targetOf('two')] });
  await put(...all);
  expect([await received('one'), await received('two')]).toMatchObject([[{}, {}], []]);
  await client.removeTargets({ ...rule, Ids: ['mine', 'two'] });
  await client.deleteRule({ EventBusName: 'shop', Name: 'mine' });
  const refused = client.putTargets({ ...rule, Targets: [targetOf('two')] });
  await expect(refused).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

const putTargets = (others: object) =>
  client.putTargets({ ...rule, Targets: [{ ...targetOf('mine'), ...others }] });

test.each<[string, RegExp, () => Promise<unknown>]>([
  ['another bus', /bus other does not exist/, () => putRule({ EventBusName: 'other' })],
  ['a schedule', /ScheduleExpression/, () => putRule({ ScheduleExpression: 'rate(1 day)' })],
  ['a text in its pattern', /the value "b"/, () => putRule({ EventPattern: '{"a":"b"}' })],
  ['another queue', /:nowhere does not exist/, () => putTargets({ Arn: arn('nowhere') })],
  ['a part of the event', /InputPath/, () => putTargets({ InputPath: '$.detail' })],
])('a request with %s is refused by its name', async (_, message, send) => {
  await putRule();
  await expect(send()).rejects.toMatchObject({
    $fault: 'client',
    message: expect.stringMatching(message),
  });
});

test.each([
  ['MalformedDetail', { Detail: '[]' }],
  ['MalformedDetail', { Detail: '{' }],
  ['InvalidArgument', { Source: '' }],
  ['InvalidArgument', { DetailType: { toString: 'x' } as never }],
])('%s of an event does not keep back the next one: %j', async (ErrorCode, wrong) => {
  const { Entries } = await put({ ...order, ...wrong }, { ...order, EventBusName: 'shop' });
  expect(Entries).toMatchObject([{ ErrorCode }, {}]);
  expect(await received('bills')).toHaveLength(1);
});
