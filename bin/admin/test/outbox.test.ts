import { expect, test } from 'vitest';
import { commitNew, updateOf, writeAlone } from '../../../functions/store/commit.ts';
import { deliveryItem } from '../../../functions/store/offers.ts';
import { findSandbox, sandboxItem } from '../../../functions/store/sandboxes.ts';
import { newAttempt } from '../../../test/support/delivery-attempts.ts';
import { mailsTo } from '../../../test/support/mails-to.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { newOffer, newTenant, waitingSandbox } from '../../../test/support/tenants.ts';
import { author } from '../../../test/support/test-author.ts';
import { adminAt, adminJson, jsonAt, newTable, stackFile } from './run-admin.ts';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
/** So long ago that no other test's items are of that age. */
const longAgo = daysAgo(2000);
const old = ['--older-than', '1999d'];

/** Puts an item into the table that the outbox ignores: it handles new items that wait. */
const strand = async (item: { pk: string; sk: string; status: string }): Promise<void> => {
  const { pk, sk, status } = item;
  const ignored = { ...item, status: 'elsewhere', author };
  await commitNew(ignored);
  await writeAlone(updateOf({ pk, sk }, { status }, ignored, ['status']));
};

test('what the stream has lost is sent again, and reaches its end', async () => {
  const { workspace } = await newTenant();
  const stuck = waitingSandbox(workspace, longAgo);
  const offer = await newOffer(workspace);
  await strand(sandboxItem(stuck));
  await strand(deliveryItem(workspace, newAttempt(offer.id, longAgo)));

  const dry = await adminJson('outbox', 'relay', '--dry-run', ...old);
  expect(dry).toEqual({ waiting: 2, sent: 0 });
  expect(await adminJson('outbox', 'relay', ...old)).toEqual({ waiting: 2, sent: 2 });

  await expect
    .poll(() => findSandbox(workspace, stuck.id))
    .toMatchObject({ sandbox: { status: 'ready' } });
  await expect.poll(() => mailsTo(offer.recipient_email)).toHaveLength(1);
});

test('only what has waited for long enough is sent, ten minutes if nothing is said', async () => {
  const table = await newTable([
    // The first one does not grow old during the test.
    ...[-60, 5, 11].map((minutes) => sandboxItem(waitingSandbox('wsp_1', daysAgo(minutes / 1440)))),
    sandboxItem({ ...waitingSandbox('wsp_1', longAgo), status: 'ready' }),
    deliveryItem('wsp_1', { ...newAttempt('ofr_1', longAgo), status: 'sending' }),
    deliveryItem('wsp_1', newAttempt('ofr_1', daysAgo(1))),
  ]);
  const relay = (...args: string[]) =>
    jsonAt(stackFile({ table }), 'outbox', 'relay', '--dry-run', ...args);

  expect(await relay()).toEqual({ waiting: 2, sent: 0 });
  expect(await relay('--older-than', '60s')).toEqual({ waiting: 3, sent: 0 });
  expect(await relay('--older-than', '2h')).toEqual({ waiting: 1, sent: 0 });
});

test('reports how many messages the queues rejected', async () => {
  const waiting = () => deliveryItem('wsp_1', newAttempt('ofr_1', longAgo));
  const table = await newTable(Array.from({ length: 120 }, waiting));
  const gone = `${stack.endpoints.sqs}/000000000000/gone`;
  const queue = { url: gone, deadLetters: gone };
  const at = stackFile({ table, queues: { provisioning: queue, delivery: queue } });
  const { code, stdout, stderr } = await adminAt(at, 'outbox', 'relay');

  expect([code, stdout]).toEqual([1, 'waiting  120\nsent     0\n']);
  expect(stderr).toContain('error: SQS rejected 120 messages. Run the command again');
});
