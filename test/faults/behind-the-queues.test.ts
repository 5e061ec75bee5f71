import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { Figures } from '../chaos/figures.ts';
import type { ClientStep, PlannedFault } from '../chaos/history.ts';
import { runHistory } from '../chaos/run-history.ts';
import { findSummary } from '../support/delivery-attempts.ts';
import { eventually } from '../support/eventually.ts';
import { type CallFault, errorAnswer } from '../support/fault-proxy.ts';
import { killing } from '../support/faulty-service.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { outboxMessage } from '../support/function-events.ts';
import * as operations from '../support/keyed-operations.ts';
import { mailsTo } from '../support/mails-to.ts';
import { mailEvent } from '../support/sample-mail-events.ts';
import { newOffer } from '../support/tenants.ts';

const { faulty, tenant, send } = useFaultyStack();

const create = async (name: string): Promise<string> => {
  const { status, body } = await send(operations.create, { name });
  expect(status).toBe(201);
  return body.id;
};

const sandbox = (id: string) => read(keys.sandbox(tenant.workspace, id));

/** Waits until all messages of a queue are consumed. */
const waitForEmpty = (name: string) =>
  eventually(async () => {
    faulty.passTime();
    const { visible, inFlight } = faulty.stack.queues.attributes(faulty.queue(name));
    return visible + inFlight === 0;
  });

/** The types of the events of a sandbox, without repeated ones. */
const eventsOf = (id: string): string[] => {
  const details = faulty.events.map(({ detail }) => detail as { id: string; type: string });
  const types = details.filter((event) => event.id.startsWith(`evt_${id}_`));
  return [...new Set(types.map(({ type }) => type))].sort();
};

/** Waits until a sandbox is ready, and both of its events have been published. */
const finished = (id: string) =>
  eventually(async () => {
    faulty.passTime();
    return (await sandbox(id))?.status === 'ready' && eventsOf(id).length === 2;
  });

describe('between the table, the queues and the bus', () => {
  const sqs = { service: 'sqs', operation: 'SendMessageBatch', call: 1, victim: 'Outbox' } as const;
  const bus = {
    ...({ service: 'eventbridge', operation: 'PutEvents', call: 1 } as const),
    victim: 'EventsPublisher',
  };

  /** Each in a history of its own: it ends as every random history must. */
  test.each<[string, Omit<PlannedFault, 'lasts'>, number]>([
    ['SQS is down', { ...sqs, kind: 'reset' }, 6],
    ['the relay dies before it sends a batch', { ...sqs, kind: 'killBefore' }, 1],
    ['the relay dies after it has sent a batch', { ...sqs, kind: 'killAfter' }, 1],
    ['SQS answers late', { ...sqs, kind: 'delayReply' }, 6],
    ['SQS gets each batch twice', { ...sqs, kind: 'twice' }, 6],
    ['the bus throttles', { ...bus, kind: 'answer', type: 'ThrottlingException' }, 4],
    ['the bus fails', { ...bus, kind: 'answer', type: 'InternalException' }, 4],
    ['the bus refuses an entry of a batch', { ...bus, kind: 'refuseEntry' }, 4],
    ['the bus loses its replies', { ...bus, kind: 'loseReply' }, 4],
    ['the bus gets each call twice', { ...bus, kind: 'twice' }, 4],
    ['the publisher dies before the bus has its call', { ...bus, kind: 'killBefore' }, 4],
    ['the publisher dies after the bus has its call', { ...bus, kind: 'killAfter' }, 4],
  ])('%s: every sandbox is provisioned once, and has its events', async (_, fault, lasts) => {
    const steps = Array.from({ length: 6 }, (_, index): ClientStep => {
      const request = { tenant: 0, operation: 'create', key: null } as const;
      return { ...request, target: index % 2 === 0 ? 0 : 1, retries: 0, startAfterMs: 0 };
    });
    const history = { steps, faults: [{ ...fault, lasts }] };
    const figures = new Figures();
    expect(await runHistory(faulty, history, figures)).toEqual([]);
    expect(`${figures}`).toMatch(new RegExp(`^fault: .*${fault.kind}`, 'm'));
  });

  test('the bus hangs for longer than a call may take: the events come later', async () => {
    const fault: CallFault = { kind: 'hold', released: sleep(7000) };
    faulty.eventbridge.inject({ operation: 'PutEvents', calls: [1], fault });
    await finished(await create('The bus hangs'));
  });

  test('the bus down: creating works, the sandbox is ready, and its events come when the bus does', async () => {
    faulty.eventbridge.inject({ operation: 'PutEvents', fault: { kind: 'reset' } });
    const id = await create('The bus is down');
    await eventually(async () => (await sandbox(id))?.status === 'ready');
    await eventually(async () => faulty.eventbridge.seen.length > 0);
    expect(eventsOf(id)).toEqual([]);
    faulty.heal();
    await finished(id);
  });

  test('SQS down: creating works, and the event of the sandbox comes nevertheless', async () => {
    faulty.sqs.inject({ operation: 'SendMessageBatch', fault: { kind: 'reset' } });
    const id = await create('The queues are full');
    await eventually(async () => eventsOf(id).length === 1);
    await eventually(async () => faulty.sqs.seen.length > 0);
    expect((await sandbox(id))?.status).toBe('provisioning');
    faulty.heal();
    await finished(id);
  });
});

describe('provisioning', () => {
  test('a poison message among nine good ones: nine are done, it ends as a dead letter', async () => {
    faulty.sqs.inject({ operation: 'SendMessageBatch', fault: { kind: 'reset' } });
    const ids = await Promise.all(Array.from({ length: 9 }, (_, index) => create(`Good ${index}`)));
    const poison = outboxMessage('Provisioning', { ...tenant, id: `sbx_${newOpaque()}` });
    const bodies = ids.map((id) => outboxMessage('Provisioning', { ...tenant, id }));
    for (const body of [...bodies.slice(0, 4), poison, ...bodies.slice(4)]) {
      faulty.stack.queues.send(faulty.queue('ProvisioningQueue'), { body });
    }
    for (const id of ids) await finished(id);
    // After five receives, by the redrive policy of the template.
    const dead = await eventually(async () => {
      faulty.passTime();
      const { queues } = faulty.stack;
      const queue = faulty.queue('ProvisioningDeadLetters');
      const letters = await queues.receive(queue, { maximum: 10 });
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
    // In the place of EventBridge.
    const body = mailEvent({ offer: offer.id, id: attempt }, 'delivery');
    faulty.stack.queues.send(faulty.queue('MailEventsQueue'), { body });
    const last = async () => (await findSummary(offer.id)).last_attempt;
    await eventually(async () => (await last())?.status === 'delivered');
    await waitForEnd(offer.id, 'delivered');
    expect(await mails(offer.recipient_email)).toBe(1);
  });
});
