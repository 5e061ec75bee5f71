import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Event } from '../../../functions/domain/events.ts';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { deliveryItem } from '../../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { sandboxItem } from '../../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../../functions/store/workspaces.ts';
import { newAttempt } from '../../../test/support/delivery-attempts.ts';
import { stack } from '../../../test/support/running-stack.ts';
import {
  approvalBy,
  newPaymentRequest,
  newSandboxes,
  newTenant,
} from '../../../test/support/tenants.ts';
import { author } from '../../../test/support/test-author.ts';
import { openEventTap } from '../../smoke/event-tap.ts';
import { adminAt, jsonAt, newTable, stackFile } from './run-admin.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test('publish makes the events of what the table records again, each as it was', async () => {
  const [early, late] = [daysAgo(9), daysAgo(8)];
  const { workspace, account, manager } = await newTenant();
  const request = await newPaymentRequest(workspace, { created: early });
  const [ready] = await newSandboxes(workspace, 1);
  const attempt = newAttempt('ofr_1', early);
  const mailed = newAttempt('ofr_4', early);
  const end = { ...author, at: late, id: `end_${newOpaque()}`, status: 'paid', record_version: 2 };
  const approval = approvalBy(manager, request.id, { created: late });
  const items = [
    workspaceItem({ id: workspace, account, name: 'Company', created: early }),
    { ...paymentRequestItem(workspace, request), ended: end },
    approvalItem(approval),
    {
      ...deliveryItem(workspace, attempt),
      status: 'failed',
      reason: 'why',
      failed_at: late,
      updated: late,
    },
    {
      ...deliveryItem(workspace, mailed),
      status: 'delivered',
      sent_at: early,
      bounced_at: late,
      delivered_at: late,
      updated: late,
    },
    sandboxItem({ ...(ready as NonNullable<typeof ready>), created: late, updated: late }),
  ];
  const at = stackFile({ table: await newTable(items.map((item) => ({ ...item, author }))) });
  const tap = await openEventTap(String(stack.outputs.EventBusArn), `events-${randomUUID()}`);
  onTestFinished(() => tap.close());
  const publish = (...args: string[]) => jsonAt(at, 'events', 'publish', ...args);

  expect(await publish('--since', late, '--dry-run')).toEqual({ found: 4, published: 0 });
  expect(await publish('--since', late)).toEqual({ found: 4, published: 4 });
  expect(await publish('--since', early)).toEqual({ found: 7, published: 7 });

  const published = new Map<string, Event>();
  const ids = async () => {
    for (const event of await tap.receive()) {
      if (event.workspace === workspace && event.time < daysAgo(1)) published.set(event.id, event);
    }
    return [...published.keys()].sort();
  };
  await expect.poll(ids).toEqual(
    [
      `evt_${approval.id}_approved`,
      `evt_${end.id}_ended`,
      `evt_${attempt.id}_created`,
      `evt_${attempt.id}_failed_why`,
      `evt_${mailed.id}_created`,
      `evt_${mailed.id}_sent`,
      // Not that it had bounced: why is not kept.
      `evt_${mailed.id}_delivered`,
    ].sort(),
  );
  expect(published.get(`evt_${mailed.id}_sent`)).toMatchObject({ time: early });
  expect(published.get(`evt_${attempt.id}_created`)).toMatchObject({
    type: 'delivery_attempt.created',
    time: early,
    actor: author.actor,
    data: { id: attempt.id, status: 'queued', created: attempt.created },
  });
});

test('publish names what it cannot publish, and publishes the rest', async () => {
  const { workspace, account, manager: approver } = await newTenant();
  const created = '2020-01-01T00:00:00.000Z';
  const lost = approvalBy(approver, 'ptr_lost', { created });
  const items = [
    workspaceItem({ id: workspace, account, name: 'Company', created }),
    approvalItem(lost),
    deliveryItem(workspace, newAttempt('ofr_1', created)),
  ];
  const table = await newTable(items.map((item) => ({ ...item, author })));
  const args = ['events', 'publish', '--since', created];
  const { code, stdout, stderr } = await adminAt(stackFile({ table }), ...args);
  expect([code, stdout]).toEqual([1, 'found      2\npublished  1\n']);
  expect(stderr).toContain(`APPROVAL#${lost.id}`);
});
