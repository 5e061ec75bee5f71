import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { eventChanges } from '../../functions/domain/events.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { newAttempt } from '../support/delivery-attempts.ts';
import { startBus } from '../support/event-bus.ts';
import { changed, inserted } from '../support/function-events.ts';
import { calledId, developmentTemplate, mentioned, resourcesOf } from '../support/read-template.ts';
import { closedAddress, serverOf } from '../support/servers.ts';
import { approvalBy, newPaymentRequest, newTenant, waitingSandbox } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { type Deployed, expectLine, useFunctions } from '../support/use-functions.ts';
import { expectFailures } from './recorded-metrics.ts';
import { failuresOf } from './responses.ts';

const { deployed, takeAll, tenant } = await useFunctions();

/** A function with a bus of its own. */
const startPublisher = async (more: Record<string, string> = {}) => {
  const { environment, ...bus } = await startBus();
  return { lambda: deployed('publish-events', { ...environment, ...more }), ...bus };
};

const publish = async (lambda: Deployed, ...items: Record<string, unknown>[]) =>
  (await failuresOf(lambda, inserted(...items))).sort();

const now = new Date().toISOString();
const sandbox = () => ({ ...sandboxItem(waitingSandbox(tenant.workspace, now)), author });
const delivery = () => ({ ...deliveryItem(tenant.workspace, newAttempt(undefined, now)), author });
const approval = (paymentRequest: string) => ({
  ...approvalItem(approvalBy(tenant.manager, paymentRequest, { reason: 'Why', created: now })),
  author,
});

const deadLetters = async () =>
  (await takeAll('EventsPublisherDeadLetters')).map((body) => JSON.parse(body));

test('publish-events publishes the event of each effect, with what the item does not hold', async () => {
  const { lambda, entries, events } = await startPublisher();
  const { id, worker, amount, currency } = await newPaymentRequest(tenant.workspace);
  const items = [approval(id), sandbox(), delivery()];

  expect(await publish(lambda, ...items)).toEqual([]);

  const { workspace, account } = tenant;
  expect(events()).toHaveLength(3);
  const envelope = { workspace, account, livemode: true, time: now };
  for (const event of events()) expect(event).toMatchObject(envelope);
  const [approved] = events().filter(({ type }) => type === 'payment_request.approved');
  expect(approved?.data).toMatchObject({
    approval: { id: items[0]?.id, approver: tenant.manager, reason: 'Why' },
    payment_request: { id, worker, amount, currency, status: 'approved' },
  });
  for (const { EventBusName, Source, DetailType, Time, Detail } of entries) {
    expect([EventBusName, Source]).toEqual(['WorkforcePayments-dev', 'workforce-payments']);
    expect(DetailType).toBe(JSON.parse(Detail).type);
    // To the second, as the bus keeps it.
    expect(Time).toBeCloseTo(Date.parse(now) / 1000, 0);
  }
});

test('a batch about two workspaces and two payment requests has of each event what is its own', async () => {
  const { lambda, events } = await startPublisher();
  const other = await newTenant();
  const owners = [tenant, tenant, other];
  const requests = await Promise.all(
    owners.map(({ workspace }, index) =>
      newPaymentRequest(workspace, { worker: `wr_${index}`, amount: `${index}.00` }),
    ),
  );
  const approvals = requests.map(({ id }) => approval(id));
  const sandboxes = owners.map(({ workspace }) => ({
    ...sandboxItem(waitingSandbox(workspace, now)),
    author,
  }));
  expect(await publish(lambda, ...approvals, ...sandboxes)).toEqual([]);
  for (const [index, { account, workspace }] of owners.entries()) {
    const eventOf = (id = '') => events().find((event) => event.id.includes(id));
    expect(eventOf(sandboxes[index]?.id)).toMatchObject({ account, workspace });
    const { id, worker, amount } = requests[index] ?? {};
    expect(eventOf(approvals[index]?.id)).toMatchObject({
      account,
      workspace,
      data: { payment_request: { id, worker, amount } },
    });
  }
});

test('a change without an event is dropped, and the rest is published', async () => {
  const { lambda, events } = await startPublisher();
  const fixture = { ...delivery(), status: 'simulated' };
  expect(await publish(lambda, fixture, delivery())).toEqual([]);
  const putBack = changed('MODIFY', [{ ...delivery(), updated: new Date().toISOString() }]);
  expect(await failuresOf(lambda, putBack)).toEqual([]);
  expect(events()).toHaveLength(1);
  expect(await deadLetters()).toEqual([]);
});

test('the filter finds each item of which there is an event, by nothing but the key `dynamodb`', () => {
  const template = developmentTemplate();
  const publisher = calledId(template, 'publish-events');
  const filters = resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .filter(([, { Properties }]) => mentioned(Properties.FunctionName).includes(publisher))
    .flatMap(([, { Properties }]) => Properties.FilterCriteria.Filters);
  // biome-ignore lint/suspicious/noExplicitAny: a pattern has the form of what it matches.
  const matches = (pattern: any, value: any): boolean =>
    Array.isArray(pattern)
      ? pattern.some((each) => (each.exists ? value !== undefined : each === value))
      : Object.keys(pattern).every((name) => matches(pattern[name], value?.[name]));
  const patterns = filters.map(({ Pattern }) => JSON.parse(Pattern));
  const isFound = (item: Record<string, unknown>) =>
    patterns.some((each) => matches(each, inserted(item).Records[0]));
  for (const { item: type, status, part } of eventChanges) {
    const item = { type, ...(status && { status }), ...(part && { [part]: { id: 'end_1' } }) };
    expect([item, isFound(item)]).toEqual([item, true]);
  }
  expect(patterns.flatMap(Object.keys)).toEqual(patterns.map(() => 'dynamodb'));
  expect(isFound({ type: 'DELIVERY', status: 'sending' })).toBe(false);
  expect(isFound({ type: 'PAYMENT_REQUEST', status: 'paid' })).toBe(false);
  expect(isFound({ type: 'CLAIM' })).toBe(false);
});

test('publish-events puts more than the bus takes at once, each once', async () => {
  const { lambda, events, calls } = await startPublisher();
  const items = Array.from({ length: 23 }, delivery);
  expect(await publish(lambda, ...items)).toEqual([]);
  expect(events().map(({ data }) => ('offer' in data ? data.id : ''))).toEqual(
    expect.arrayContaining(items.map(({ id }) => id)),
  );
  expect(calls.sort()).toEqual([10, 10, 3]);
});

/** AWS rejects a request as invalid and quotes its content. */
const quoting = () =>
  serverOf(async (request, response) => {
    const message = `1 validation error detected: Value '${await text(request)}' failed`;
    response
      .setHeader('Content-Type', 'application/x-amz-json-1.0')
      .writeHead(400)
      .end(JSON.stringify({ __type: 'ValidationException', message }));
  });

test.each([
  ['bus', 'EVENTBRIDGE'],
  ['table', 'DYNAMODB'],
])(
  'publish-events has tried again everything that the %s calls invalid, and logs nothing of what was sent',
  async (_, service) => {
    const lambda = deployed('publish-events', {
      [`AWS_ENDPOINT_URL_${service}`]: await quoting(),
    });
    const { id } = await newPaymentRequest(tenant.workspace);
    expect(await publish(lambda, approval(id))).toEqual(['1']);
    // By `error.name` the runbook's query finds it.
    expectLine(lambda, { error: { name: 'ValidationException' } });
    await expectFailures(lambda, 1);
    expect(lambda.log.filter((line) => line.includes('Why'))).toEqual([]);
  },
);

describe('what can never be published', () => {
  test('holds nothing up: its key is a dead letter, and the rest is published', async () => {
    const { lambda, events } = await startPublisher();
    const orphan = approval(`ptr_${newOpaque()}`);
    expect(await publish(lambda, delivery(), orphan, delivery())).toEqual([]);
    expect(events()).toHaveLength(2);
    expect(await deadLetters()).toEqual([
      { pk: orphan.pk, sk: orphan.sk, error: expect.stringContaining('payment_request') },
    ]);
    expectLine(lambda, { request_id: author.request });
    await expectFailures(lambda, 1);
    // The reason of an approval is personal data.
    expect(lambda.log.filter((line) => line.includes('Why'))).toEqual([]);
  });

  test('is tried again when it cannot become a dead letter either', async () => {
    const { lambda } = await startPublisher({ AWS_ENDPOINT_URL_SQS: closedAddress });
    expect(await publish(lambda, delivery(), approval(`ptr_${newOpaque()}`))).toEqual(['2']);
  });
});
