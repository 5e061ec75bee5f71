import { expect, test } from 'vitest';
import { newOpaque } from '../../../functions/runtime/identity.ts';
import { send } from '../../../test/support/http.ts';
import { resend } from '../../../test/support/keyed-operations.ts';
import { mailsTo } from '../../../test/support/mails-to.ts';
import { newOffer, newTenant } from '../../../test/support/tenants.ts';
import { admin, adminJson, file, offerThatIs } from './run-admin.ts';

test('imported offers are drafts; one is sent once with its key, and shown with its attempts', async () => {
  const { workspace, token } = await newTenant();
  const id = `ofr_${newOpaque()}`;
  const email = `${id.toLowerCase()}@example.com`;
  const path = file('offers.csv', `id,recipient_email,status\n${id},${email},\n`);

  const imported = await admin('offer', 'import', path, '--workspace', workspace);
  expect(imported.stdout).toBe('1 created, 0 there already.\n');

  const sent = await adminJson('offer', 'send', id, '--key', 'first');
  expect(sent).toMatchObject({
    id,
    status: 'sent',
    delivery: { attempts: 1, last_attempt: { status: 'queued' } },
  });
  await expect.poll(() => mailsTo(email)).toHaveLength(1);

  const again = await admin('offer', 'send', id, '--key', 'first', '--json');
  expect(JSON.parse(again.stdout)).toEqual(sent);
  expect(again.stderr).toContain('nothing was sent now');
  const other = await admin('offer', 'send', id, '--key', 'second');
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('The offer has been sent.'),
  ]);

  expect((await send(resend, { id }, { token })).status).toBe(200);
  await expect.poll(() => mailsTo(email)).toHaveLength(2);
  const resent = await offerThatIs('sent', id);
  expect(resent.attempts).toMatchObject([
    { id: sent.delivery.last_attempt.id, status: 'sent', message_id: expect.any(String) },
    { id: resent.delivery.last_attempt.id, status: 'sent' },
  ]);
  const { stdout } = await admin('offer', 'show', id);
  for (const { id } of resent.attempts) expect(stdout).toContain(id);
});

test('one key sends one offer, also when it is used several times at once', async () => {
  const { workspace } = await newTenant();
  const offer = await newOffer(workspace, { status: 'draft' });
  const sendOffer = (id: string) => admin('offer', 'send', id, '--key', 'race', '--json');

  const runs = await Promise.all([sendOffer(offer.id), sendOffer(offer.id), sendOffer(offer.id)]);

  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(new Set(runs.map(({ stdout }) => stdout)).size).toBe(1);
  const another = await newOffer(workspace, { status: 'draft' });
  const reused = await sendOffer(another.id);
  expect([reused.code, reused.stderr]).toEqual([1, expect.stringContaining('another offer')]);
  await expect.poll(() => mailsTo(offer.recipient_email)).not.toEqual([]);
  expect((await adminJson('offer', 'show', offer.id)).attempts).toHaveLength(1);
  expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
});
