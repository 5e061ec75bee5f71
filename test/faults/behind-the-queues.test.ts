import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { read } from '../../functions/store/read.ts';
import { findSummary, newAttempt } from '../support/delivery-attempts.ts';
import type { CallFault } from '../support/fault-proxy.ts';
import { test as base } from '../support/faulty-stack.ts';
import { outboxMessage } from '../support/function-events.ts';
import * as keyedOperations from '../support/keyed-operations.ts';
import { mailsTo } from '../support/mails-to.ts';
import { putAll } from '../support/put-all.ts';
import { newOffer } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import type { ClientStep, PlannedFault } from './history.ts';
import { runHistory } from './run-history.ts';

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
  });

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
      const { violations, met } = await runHistory(faulty, history);
      expect(violations).toEqual([]);
      expect(met).toContain(fault.kind);
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

// The worst moment: SES has as many mails as are sent at once, and has answered neither, when the
// outage begins.
test('ten mails are sent once each through an outage of DynamoDB of seconds', async ({
  faulty,
  tenant,
}) => {
  const { workspace } = tenant;
  const offers = await Promise.all(
    Array.from({ length: 10 }, () => newOffer(workspace, { attempts: 1 })),
  );
  const { release } = faulty.ses.hold({ operation: 'SendEmail' });
  // At once: the first mail is held until the second comes, and its consumer waits 10 s at most.
  await putAll(offers.map(({ id }) => ({ ...deliveryItem(workspace, newAttempt(id)), author })));
  await expect.poll(() => faulty.ses.seen.length).toBeGreaterThanOrEqual(2);

  for (const operation of ['GetItem', 'Query', 'UpdateItem']) {
    faulty.dynamodb.inject({ operation, fault: { kind: 'reset' } });
  }
  release();
  await sleep(5000);
  faulty.heal();

  const unsent = async () => {
    faulty.passTime();
    const all = await Promise.all(offers.map(({ id }) => findSummary(id)));
    return all.filter(({ last_attempt }) => last_attempt?.status !== 'sent');
  };
  await expect.poll(unsent).toEqual([]);
  for (const { recipient_email } of offers) {
    expect(await mailsTo(recipient_email, faulty.stack.mailbox)).toHaveLength(1);
  }
});
