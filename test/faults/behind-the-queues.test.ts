import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { DeliveryAttempt } from '../../functions/domain/offer.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { read } from '../../functions/store/read.ts';
import { findSummary, waitingOffer } from '../support/delivery-attempts.ts';
import { eventually } from '../support/eventually.ts';
import { type CallFault, errorAnswer } from '../support/fault-proxy.ts';
import { killing } from '../support/faulty-service.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { outboxMessage } from '../support/function-events.ts';
import * as operations from '../support/keyed-operations.ts';
import { mailsTo } from '../support/mails-to.ts';
import { mailEvent, type Report } from '../support/sample-mail-events.ts';
import { approvalBy, newOffer } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';

const { faulty, tenant, send } = useFaultyStack();

const create = async (name: string): Promise<string> => {
  const { status, body } = await send(operations.create, { name });
  expect(status).toBe(201);
  return body.id;
};

const sandbox = (id: string) => read(keys.sandbox(tenant.workspace, id));

/** Waits until all are ready; failed messages become visible again meanwhile. */
const allReady = (ids: readonly string[]) =>
  eventually(async () => {
    const statuses = await Promise.all(ids.map(async (id) => (await sandbox(id))?.status));
    if (statuses.every((status) => status === 'ready')) return true;
    faulty.passTime();
    return false;
  });

/** Waits until the relay has called SQS. */
const relayed = () => eventually(async () => faulty.sqs.seen.length > 0);

/** Waits until the publisher has called the bus. */
const published = () => eventually(async () => faulty.eventbridge.seen.length > 0);

/** Waits until all messages of a queue are consumed. */
const waitForEmpty = (name: string) =>
  eventually(async () => {
    faulty.passTime();
    const { visible, inFlight } = faulty.stack.queues.attributes(faulty.queue(name));
    return visible + inFlight === 0;
  });

/** Some of the dead letters of a queue. */
const deadLettersOf = (name: string) =>
  faulty.stack.queues.receive(faulty.queue(`${name}DeadLetters`), { maximum: 10 });

/** Sends an event of SES to the queue, in the place of EventBridge. */
const sendMailEvent = (attempt: Pick<DeliveryAttempt, 'offer' | 'id'>, report: Report) =>
  faulty.stack.queues.send(faulty.queue('MailEventsQueue'), { body: mailEvent(attempt, report) });

describe('between the table and the queues', () => {
  test('SQS down: creating works, and the sandbox is ready after it returns', async () => {
    faulty.sqs.inject({ operation: 'SendMessageBatch', fault: { kind: 'reset' } });
    const id = await create('SQS is down');
    await relayed();
    expect((await sandbox(id))?.status).toBe('provisioning');
    faulty.heal();
    await allReady([id]);
  });

  test.each<[string, () => readonly CallFault[]]>([
    ['dies before it sends a batch', () => [killing(faulty, 'Outbox', 'killBefore')]],
    ['dies after it has sent a batch', () => [killing(faulty, 'Outbox', 'killAfter')]],
    [
      'sends late, twice and out of order',
      () => [{ kind: 'hold', released: sleep(500) }, { kind: 'twice' }],
    ],
  ])('the relay %s: every sandbox is provisioned once', async (what, newFaults) => {
    const [first, later] = newFaults();
    const operation = 'SendMessageBatch';
    if (first) faulty.sqs.inject({ operation, calls: [1], fault: first });
    if (later) faulty.sqs.inject({ operation, fault: later });
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, index) => create(`The relay ${what} ${index}`)),
    );
    await allReady(ids);
    await expectProvisionedOnce(ids);
  });
});

describe('between the table and the bus', () => {
  /** The events of a sandbox, without repeated ones. */
  const eventsOf = (id: string) => {
    const all = faulty.events.map(({ detail }) => JSON.stringify(detail));
    return [...new Set(all)]
      .map((text) => JSON.parse(text))
      .filter(({ data }) => data.id === id)
      .sort((one, other) => (one.type < other.type ? -1 : 1));
  };

  /** Each effect has one event, which may be repeated. */
  const expectAllEvents = async (ids: readonly string[]) => {
    await eventually(async () => {
      faulty.passTime();
      return ids.every((id) => eventsOf(id).length >= 2);
    });
    for (const id of ids) {
      expect(eventsOf(id).map(({ id: event }) => event)).toEqual([
        `evt_${id}_created`,
        `evt_${id}_ready`,
      ]);
    }
  };

  test('the bus down: creating works, the sandbox is ready, and its events come when the bus does', async () => {
    faulty.eventbridge.inject({ operation: 'PutEvents', fault: { kind: 'reset' } });
    const id = await create('The bus is down');
    await allReady([id]);
    await published();
    expect(eventsOf(id)).toEqual([]);
    faulty.heal();
    await expectAllEvents([id]);
  });

  test('SQS down: the event of a new sandbox comes nevertheless', async () => {
    faulty.sqs.inject({ operation: 'SendMessageBatch', fault: { kind: 'reset' } });
    const id = await create('The queues are full');
    await eventually(async () => eventsOf(id).length === 1);
    await relayed();
    faulty.heal();
    await expectAllEvents([id]);
  });

  test.each<[string, () => CallFault]>([
    ['throttles', () => errorAnswer('ThrottlingException')],
    ['fails', () => errorAnswer('InternalException')],
    ['refuses an entry of a batch', () => ({ kind: 'refuseEntry' })],
    ['hangs for longer than a call may take', () => ({ kind: 'hold', released: sleep(7000) })],
    ['loses its reply', () => ({ kind: 'loseReply' })],
    ['gets the call twice', () => ({ kind: 'twice' })],
    ['dies with the publisher before it', () => killing(faulty, 'EventsPublisher', 'killBefore')],
    ['dies with the publisher after it', () => killing(faulty, 'EventsPublisher', 'killAfter')],
  ])('the bus %s: every effect has its event, and every event its effect', async (_, fault) => {
    faulty.eventbridge.inject({ operation: 'PutEvents', calls: [1, 2, 3, 4], fault: fault() });
    const ids = await Promise.all(Array.from({ length: 5 }, (_, index) => create(`Told ${index}`)));
    await expectAllEvents(ids);
  });

  test('the table throttles the publisher: its events come later', async () => {
    faulty.dynamodb.inject({
      operation: 'GetItem',
      about: '{"S":"WORKSPACE"}',
      calls: [1, 2, 3],
      fault: errorAnswer('ThrottlingException'),
    });
    await expectAllEvents([await create('Throttled')]);
  });

  test('an item that no event can be made of holds up nothing, and becomes a dead letter', async () => {
    const lost = approvalBy(tenant.manager, `ptr_${newOpaque()}`);
    await commitNew({ ...approvalItem(lost), author });
    await expectAllEvents([await create('After it')]);
    const dead = await eventually(async () => {
      const letters = await deadLettersOf('EventsPublisher');
      return letters.find(({ body }) => body.includes(lost.id));
    });
    expect(JSON.parse(dead.body).error).toContain('payment_request.id');
  });
});

/** A sandbox and its workspace are written together, so their times show whether that was once. */
const expectProvisionedOnce = async (ids: readonly string[]) => {
  for (const id of ids) {
    const item = await sandbox(id);
    const workspace = await read(keys.workspace(item?.sandbox_workspace));
    expect(item?.updated).toBe(workspace?.created);
  }
};

describe('provisioning', () => {
  test('a message that comes three times in parallel makes one test workspace', async () => {
    faulty.sqs.inject({ operation: 'SendMessageBatch', calls: [1], fault: { kind: 'reset' } });
    const id = await create('Three at once');
    const body = outboxMessage('Provisioning', { ...tenant, id });
    for (let copy = 0; copy < 3; copy++)
      faulty.stack.queues.send(faulty.queue('ProvisioningQueue'), { body });
    await allReady([id]);
    // Its own message may arrive after those.
    await relayed();
    await waitForEmpty('ProvisioningQueue');
    await expectProvisionedOnce([id]);
  });

  test.each(['killBefore', 'killAfter'] as const)(
    'its consumer dies %s the commit: ready in the end',
    async (kind) => {
      faulty.dynamodb.inject({
        operation: 'TransactWriteItems',
        about: 'wsp_test_',
        calls: [1],
        fault: killing(faulty, 'ProvisioningFunction', kind),
      });
      const id = await create(`Consumer dies ${kind}`);
      await allReady([id]);
      await expectProvisionedOnce([id]);
    },
  );

  test('a poison message among nine good ones: nine are done, it ends as a dead letter', async () => {
    faulty.sqs.inject({ operation: 'SendMessageBatch', fault: { kind: 'reset' } });
    const ids = await Promise.all(Array.from({ length: 9 }, (_, index) => create(`Good ${index}`)));
    const poison = outboxMessage('Provisioning', { ...tenant, id: `sbx_${newOpaque()}` });
    const bodies = ids.map((id) => outboxMessage('Provisioning', { ...tenant, id }));
    for (const body of [...bodies.slice(0, 4), poison, ...bodies.slice(4)]) {
      faulty.stack.queues.send(faulty.queue('ProvisioningQueue'), { body });
    }
    await allReady(ids);
    // After five receives, by the redrive policy of the template.
    const dead = await eventually(async () => {
      faulty.passTime();
      const letters = await deadLettersOf('Provisioning');
      return letters.find(({ body }) => body === poison);
    });
    expect(dead.deadLetterSource).toContain('ProvisioningQueue');
  });
});

describe('delivery', () => {
  const resend = async () => {
    const offer = await newOffer(tenant.workspace);
    const { status, body } = await send(operations.resend, { id: offer.id });
    expect(status).toBe(200);
    return { offer, attempt: body.delivery.last_attempt.id };
  };

  const waitForEnd = async (offer: string, status: string) => {
    const last = await eventually(async () => {
      faulty.passTime();
      const { last_attempt } = await findSummary(offer);
      return last_attempt?.status === status && last_attempt;
    });
    // A try whose reply was lost may still be under way.
    await waitForEmpty('DeliveryQueue');
    return last;
  };

  const killingConsumer = (kind: 'killBefore' | 'killAfter') =>
    killing(faulty, 'DeliveryFunction', kind);

  const mails = async (address: string): Promise<number> =>
    (await mailsTo(address, faulty.stack.mailbox)).length;

  test.each([
    ['MessageRejected', 'message_rejected'],
    ['BadRequestException', 'invalid_message'],
  ])(
    'SES refuses for good (%s): the attempt has failed and the summary says why',
    async (type, reason) => {
      faulty.ses.inject({ operation: 'SendEmail', fault: errorAnswer(type) });
      const { offer, attempt } = await resend();
      expect(await waitForEnd(offer.id, 'failed')).toMatchObject({ id: attempt, reason });
      expect(await read(keys.delivery(offer.id, attempt))).toMatchObject({
        status: 'failed',
        reason,
      });
      expect(await mails(offer.recipient_email)).toBe(0);
    },
  );

  test.each<[string, readonly number[], () => CallFault, number]>([
    ['throttles twice', [1, 2], () => errorAnswer('TooManyRequestsException'), 1],
    ['resets the connection twice', [1, 2], () => ({ kind: 'reset' }), 1],
    ['loses its reply', [1], () => ({ kind: 'loseReply' }), 2],
    ['dies with the consumer before it', [1], () => killingConsumer('killBefore'), 1],
    ['dies with the consumer after it', [1], () => killingConsumer('killAfter'), 2],
  ])('SES %s: sent in the end, at worst twice', async (_, calls, fault, most) => {
    faulty.ses.inject({ operation: 'SendEmail', calls, fault: fault() });
    const { offer } = await resend();
    await waitForEnd(offer.id, 'sent');
    const sent = await mails(offer.recipient_email);
    expect(sent).toBeGreaterThanOrEqual(1);
    expect(sent).toBeLessThanOrEqual(most);
  });

  const taking = 'SET #status = :sending';
  const ending = 'REMOVE lease_ends';

  test.each<[string, string, () => CallFault, number]>([
    ['the reply to the write that takes it is lost', taking, () => ({ kind: 'loseReply' }), 1],
    ['the reply to the write of its end is lost', ending, () => ({ kind: 'loseReply' }), 1],
    // A consumer that takes over cannot know that the mail was sent.
    [
      'its consumer dies before the write of its end',
      ending,
      () => killingConsumer('killBefore'),
      2,
    ],
    ['its consumer dies after the write of its end', ending, () => killingConsumer('killAfter'), 1],
  ])('%s: sent, and the summary says so', async (_, about, fault, sent) => {
    faulty.dynamodb.inject({ operation: 'UpdateItem', about, calls: [1], fault: fault() });
    const { offer, attempt } = await resend();
    await waitForEnd(offer.id, 'sent');
    expect((await read(keys.delivery(offer.id, attempt)))?.status).toBe('sent');
    expect(await mails(offer.recipient_email)).toBe(sent);
  });

  test('the consumer dies before it records the end, and an event reports it: no second mail', async () => {
    const fault = killingConsumer('killBefore');
    faulty.dynamodb.inject({ operation: 'UpdateItem', about: ending, calls: [1], fault });
    const { offer, attempt } = await resend();
    await eventually(async () => faulty.dynamodb.seen.some(({ fault }) => fault === 'killBefore'));
    sendMailEvent({ offer: offer.id, id: attempt }, 'delivery');
    const last = async () => (await findSummary(offer.id)).last_attempt;
    await eventually(async () => (await last())?.status === 'delivered');
    await waitForEnd(offer.id, 'delivered');
    expect(await mails(offer.recipient_email)).toBe(1);
  });
});

describe('events of mails', () => {
  const expectFate = async ({ offer, id }: DeliveryAttempt, status: string) => {
    await waitForEmpty('MailEventsQueue');
    expect((await findSummary(offer)).last_attempt).toMatchObject({ id, status });
  };

  test.each([
    ['loses its reply', { kind: 'loseReply' }],
    ['loses the call', { kind: 'reset' }],
    ['gets the call twice', { kind: 'twice' }],
    ['fails', errorAnswer('InternalServerError')],
    ['dies with its caller before it', killing(faulty, 'MailEventsFunction', 'killBefore')],
    ['dies with its caller after it', killing(faulty, 'MailEventsFunction', 'killAfter')],
  ] as const)('recorded while DynamoDB %s: the last word counts', async (_, fault) => {
    const { attempt } = await waitingOffer(tenant.workspace, { status: 'sent' });
    faulty.dynamodb.inject({
      operation: 'UpdateItem',
      about: attempt.id,
      calls: [1, 3],
      fault,
    });
    for (const report of ['permanentBounce', 'delivery', 'complaint', 'delivery'] as const) {
      sendMailEvent(attempt, report);
    }
    await expectFate(attempt, 'complained');
  });

  test('an event that cannot be recorded ends as a dead letter', async () => {
    const { offer, attempt } = await waitingOffer(tenant.workspace, { status: 'sent' });
    const unknown = { offer: offer.id, id: `dlv_${newOpaque()}` };
    sendMailEvent(unknown, 'complaint');
    sendMailEvent(attempt, 'delivery');
    await expectFate(attempt, 'delivered');
    const dead = await deadLettersOf('MailEvents');
    expect(dead.map(({ body }) => body)).toContainEqual(expect.stringContaining(unknown.id));
  });
});
