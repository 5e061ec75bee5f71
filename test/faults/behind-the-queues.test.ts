import { expect } from 'vitest';
import { maxAttempts } from '../../functions/runtime/time-limits.ts';
import { keys } from '../../functions/store/keys.ts';
import { readItem } from '../../functions/store/read.ts';
import { test } from '../support/faulty-stack.ts';
import { create } from '../support/keyed-operations.ts';
import type { ClientStep, PlannedFault } from './history.ts';
import { runHistory } from './run-history.ts';

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
  ['SQS responds late', { ...sqs, kind: 'delayResponse' }, 6],
  ['SQS gets each batch twice', { ...sqs, kind: 'twice' }, 6],
  ['the bus throttles', { ...bus, kind: 'response', type: 'ThrottlingException' }, 4],
  ['the bus fails', { ...bus, kind: 'response', type: 'InternalException' }, 4],
  ['the bus refuses an entry of a batch', { ...bus, kind: 'refuseEntry' }, 4],
  ['the bus loses its responses', { ...bus, kind: 'loseResponse' }, 4],
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

test.for(['reset', 'hold'] as const)(
  'while each call to the bus meets a %s, a sandbox becomes ready, and its events come later',
  async (kind, { faulty, tenant, send }) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    faulty.eventbridge.inject({ operation: 'PutEvents', fault: { kind, released } });
    const { status, body } = await send(create, { name: 'The bus is down' });
    expect(status).toBe(201);
    const statusAndEvents = async () => {
      const item = await readItem(keys.sandbox(tenant.workspace, body.id));
      const ids = faulty.events.map(({ detail }) => (detail as { id: string }).id);
      const own = ids.filter((id) => id.startsWith(`evt_${body.id}_`));
      return [item?.status, new Set(own).size];
    };
    await expect.poll(statusAndEvents).toEqual(['ready', 0]);
    // The publisher has given up once.
    await expect.poll(() => faulty.eventbridge.seen.length).toBeGreaterThan(maxAttempts);
    expect(await statusAndEvents()).toEqual(['ready', 0]);
    faulty.heal();
    release();
    const later = () => {
      faulty.passTime();
      return statusAndEvents();
    };
    await expect.poll(later).toEqual(['ready', 2]);
  },
);
