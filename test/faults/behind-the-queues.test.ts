import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { Figures } from '../chaos/figures.ts';
import type { ClientStep, PlannedFault } from '../chaos/history.ts';
import { runHistory } from '../chaos/run-history.ts';
import { findSummary } from '../support/delivery-attempts.ts';
import { type CallFault, errorAnswer } from '../support/fault-proxy.ts';
import { killing } from '../support/faulty-service.ts';
import { test as base, type Faulty } from '../support/faulty-stack.ts';
import { outboxMessage } from '../support/function-events.ts';
import * as keyedOperations from '../support/keyed-operations.ts';
import { mailsTo } from '../support/mails-to.ts';
import { mailEvent } from '../support/sample-mail-events.ts';
import { newOffer } from '../support/tenants.ts';

const test = base
  /** Sandboxes, and what becomes of them. */
  .extend('sandboxes', ({ faulty, tenant, send }) => {
    const create = async (name: string): Promise<string> => {
      const { status, body } = await send(keyedOperations.create, { name });
      expect(status).toBe(201);
      return body.id;
    };

    const load = (id: string) => read(keys.sandbox(tenant.workspace, id));

    /** The types of the events of a sandbox, without repeated ones. */
    const eventsOf = (id: string): string[] => {
      const details = faulty.events.map(({ detail }) => detail as { id: string; type: string });
      const types = details.filter((event) => event.id.startsWith(`evt_${id}_`));
      return [...new Set(types.map(({ type }) => type))].sort();
    };

    /** Waits until a sandbox is ready, and both of its events have been published. */
    const finished = async (id: string) => {
      const statusAndEvents = async () => {
        faulty.passTime();
        return [(await load(id))?.status, eventsOf(id).length];
      };
      await expect.poll(statusAndEvents).toEqual(['ready', 2]);
    };

    return { create, load, eventsOf, finished };
  })
  /** Mails, and what becomes of them. */
  .extend('mails', ({ faulty, tenant, send }) => {
    const resend = async () => {
      const offer = await newOffer(tenant.workspace);
      const { status, body } = await send(keyedOperations.resend, { id: offer.id });
      expect(status).toBe(200);
      return { offer, attempt: body.delivery.last_attempt.id };
    };

    /** @returns the last attempt */
    const waitForEnd = async (offer: string, status: string) => {
      const last = async () => {
        faulty.passTime();
        return (await findSummary(offer)).last_attempt;
      };
      await expect.poll(last).toMatchObject({ status });
      const messages = () => {
        faulty.passTime();
        return faulty.stack.queues.attributes(faulty.queue('DeliveryQueue'));
      };
      // A try whose reply was lost may still be under way.
      await expect.poll(messages).toMatchObject({ visible: 0, inFlight: 0 });
      return last();
    };

    const count = async (address: string): Promise<number> =>
      (await mailsTo(address, faulty.stack.mailbox)).length;

    return { resend, waitForEnd, count };
  });

type KillsConsumer = (kind: 'killBefore' | 'killAfter') => CallFault;

const killingConsumer =
  (faulty: Faulty): KillsConsumer =>
  (kind) =>
    killing(faulty, 'DeliveryFunction', kind);

describe('between the table, the queues and the bus', () => {
  const sqs = { service: 'sqs', operation: 'SendMessageBatch', call: 1, victim: 'Outbox' } as const;
  const bus = {
    ...({ service: 'eventbridge', operation: 'PutEvents', call: 1 } as const),
    victim: 'EventsPublisher',
  };

  /** Each in a history of its own: it ends as every random history must. */
  test.for<[string, Omit<PlannedFault, 'lasts'>, number]>([
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
  ])(
    '%s: every sandbox is provisioned once, and has its events',
    async ([, fault, lasts], { faulty }) => {
      const steps = Array.from({ length: 6 }, (_, index): ClientStep => {
        const request = { tenant: 0, operation: 'create', key: null } as const;
        return { ...request, target: index % 2 === 0 ? 0 : 1, retries: 0, startAfterMs: 0 };
      });
      const history = { steps, faults: [{ ...fault, lasts }] };
      const figures = new Figures();
      expect(await runHistory(faulty, history, figures)).toEqual([]);
      expect(`${figures}`).toMatch(new RegExp(`^fault: .*${fault.kind}`, 'm'));
    },
  );

  test('the bus hangs for longer than a call may take: the events come later', async ({
    faulty,
    sandboxes,
  }) => {
    const fault: CallFault = { kind: 'hold', released: sleep(7000) };
    faulty.eventbridge.inject({ operation: 'PutEvents', calls: [1], fault });
    await sandboxes.finished(await sandboxes.create('The bus hangs'));
  });

  test('the bus down: creating works, the sandbox is ready, and its events come when the bus does', async ({
    faulty,
    sandboxes: { create, load, eventsOf, finished },
  }) => {
    faulty.eventbridge.inject({ operation: 'PutEvents', fault: { kind: 'reset' } });
    const id = await create('The bus is down');
    await expect.poll(() => load(id)).toMatchObject({ status: 'ready' });
    await expect.poll(() => faulty.eventbridge.seen).not.toEqual([]);
    expect(eventsOf(id)).toEqual([]);
    faulty.heal();
    await finished(id);
  });

  test('SQS down: creating works, and the event of the sandbox comes nevertheless', async ({
    faulty,
    sandboxes: { create, load, eventsOf, finished },
  }) => {
    faulty.sqs.inject({ operation: 'SendMessageBatch', fault: { kind: 'reset' } });
    const id = await create('The queues are full');
    await expect.poll(() => eventsOf(id)).toHaveLength(1);
    await expect.poll(() => faulty.sqs.seen).not.toEqual([]);
    expect((await load(id))?.status).toBe('provisioning');
    faulty.heal();
    await finished(id);
  });
});

describe('provisioning', () => {
  test('a poison message among nine good ones: nine are done, it ends as a dead letter', async ({
    faulty,
    tenant,
    sandboxes: { create, finished },
  }) => {
    faulty.sqs.inject({ operation: 'SendMessageBatch', fault: { kind: 'reset' } });
    const ids = await Promise.all(Array.from({ length: 9 }, (_, index) => create(`Good ${index}`)));
    const poison = outboxMessage('Provisioning', { ...tenant, id: `sbx_${newOpaque()}` });
    const bodies = ids.map((id) => outboxMessage('Provisioning', { ...tenant, id }));
    for (const body of [...bodies.slice(0, 4), poison, ...bodies.slice(4)]) {
      faulty.stack.queues.send(faulty.queue('ProvisioningQueue'), { body });
    }
    for (const id of ids) await finished(id);
    // After five receives, by the redrive policy of the template.
    const deadLetters = () => {
      faulty.passTime();
      return faulty.stack.queues.receive(faulty.queue('ProvisioningDeadLetters'), { maximum: 10 });
    };
    const deadLetterSource = expect.stringContaining('ProvisioningQueue');
    await expect
      .poll(deadLetters)
      .toContainEqual(expect.objectContaining({ body: poison, deadLetterSource }));
  });
});

describe('a mail', () => {
  test.for([
    ['MessageRejected', 'message_rejected'],
    ['BadRequestException', 'invalid_message'],
  ] as const)(
    'SES refuses for good (%s): the attempt has failed and the summary says why',
    async ([type, reason], { faulty, mails }) => {
      faulty.ses.inject({ operation: 'SendEmail', fault: errorAnswer(type) });
      const { offer, attempt } = await mails.resend();
      expect(await mails.waitForEnd(offer.id, 'failed')).toMatchObject({ id: attempt, reason });
      expect(await read(keys.delivery(offer.id, attempt))).toMatchObject({
        status: 'failed',
        reason,
      });
      expect(await mails.count(offer.recipient_email)).toBe(0);
    },
  );

  test.for<[string, readonly number[], (kills: KillsConsumer) => CallFault, number]>([
    ['throttles twice', [1, 2], () => errorAnswer('TooManyRequestsException'), 1],
    ['resets the connection twice', [1, 2], () => ({ kind: 'reset' }), 1],
    ['loses its reply', [1], () => ({ kind: 'loseReply' }), 2],
    ['dies with the consumer before it', [1], (kills) => kills('killBefore'), 1],
    ['dies with the consumer after it', [1], (kills) => kills('killAfter'), 2],
  ])(
    'SES %s: it is sent in the end, at worst twice',
    async ([, calls, faultOf, most], { faulty, mails }) => {
      const fault = faultOf(killingConsumer(faulty));
      faulty.ses.inject({ operation: 'SendEmail', calls, fault });
      const { offer } = await mails.resend();
      await mails.waitForEnd(offer.id, 'sent');
      const sent = await mails.count(offer.recipient_email);
      expect(sent).toBeGreaterThanOrEqual(1);
      expect(sent).toBeLessThanOrEqual(most);
    },
  );

  const taking = 'SET #status = :sending';
  const ending = 'REMOVE lease_ends';

  test.for<[string, string, (kills: KillsConsumer) => CallFault, number]>([
    ['the reply to the write that takes it is lost', taking, () => ({ kind: 'loseReply' }), 1],
    ['the reply to the write of its end is lost', ending, () => ({ kind: 'loseReply' }), 1],
    // A consumer that takes over cannot know that the mail was sent.
    ['its consumer dies before the write of its end', ending, (kills) => kills('killBefore'), 2],
    ['its consumer dies after the write of its end', ending, (kills) => kills('killAfter'), 1],
  ])(
    '%s: it is sent, and the summary says so',
    async ([, about, faultOf, count], { faulty, mails }) => {
      const fault = faultOf(killingConsumer(faulty));
      faulty.dynamodb.inject({ operation: 'UpdateItem', about, calls: [1], fault });
      const { offer, attempt } = await mails.resend();
      await mails.waitForEnd(offer.id, 'sent');
      expect((await read(keys.delivery(offer.id, attempt)))?.status).toBe('sent');
      expect(await mails.count(offer.recipient_email)).toBe(count);
    },
  );

  test('the consumer dies before it records the end, and an event reports it: no second mail', async ({
    faulty,
    mails,
  }) => {
    const fault = killing(faulty, 'DeliveryFunction', 'killBefore');
    faulty.dynamodb.inject({ operation: 'UpdateItem', about: ending, calls: [1], fault });
    const { offer, attempt } = await mails.resend();
    await expect
      .poll(() => faulty.dynamodb.seen)
      .toContainEqual(expect.objectContaining({ fault: 'killBefore' }));
    // In the place of EventBridge.
    const body = mailEvent({ offer: offer.id, id: attempt }, 'delivery');
    faulty.stack.queues.send(faulty.queue('MailEventsQueue'), { body });
    const last = async () => (await findSummary(offer.id)).last_attempt;
    await expect.poll(last).toMatchObject({ status: 'delivered' });
    await mails.waitForEnd(offer.id, 'delivered');
    expect(await mails.count(offer.recipient_email)).toBe(1);
  });
});
