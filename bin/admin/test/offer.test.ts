import { expect, test } from 'vitest';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { findSummary } from '../../../test/support/delivery-attempts.ts';
import { send } from '../../../test/support/http.ts';
import { resend } from '../../../test/support/keyed-operations.ts';
import { mailsTo } from '../../../test/support/mails-to.ts';
import { newTenant } from '../../../test/support/tenants.ts';
import { admin, adminJson, file } from './run-admin.ts';

/** Imports one offer, and returns what the command has printed. */
const importing = async (workspace: string, line: object, ...more: string[]) => {
  const path = file('offers.jsonl', JSON.stringify(line));
  return adminJson('offer', 'import', path, '--workspace', workspace, ...more);
};

const attemptsOf = async (id: string) => (await adminJson('offer', 'show', id)).attempts;

test('a higher version sends a draft once, with --send alone, and the offer is shown with its attempts', async () => {
  const { workspace, token } = await newTenant();
  const id = `ofr_${newOpaque()}`;
  const recipient_email = `${id.toLowerCase()}@example.com`;
  const path = file(
    'offers.csv',
    `id,recipient_email,status,version\n${id},${recipient_email},draft,1\n`,
  );
  const imported = await admin('offer', 'import', path, '--workspace', workspace);
  expect(imported.stdout).toMatch(/^created +1$/m);
  const sent = { id, recipient_email, status: 'sent', version: 2 };
  const line = file('offers.jsonl', JSON.stringify(sent));
  const { stderr } = await admin('offer', 'import', line, '--workspace', workspace);
  expect(stderr).toContain(`line 1: Mails the offer, which needs --send. Found: "${id}"`);
  expect(await attemptsOf(id)).toEqual([]);
  const runs = await Promise.all([1, 2, 3].map(() => importing(workspace, sent, '--send')));
  expect(runs.reduce((sum, { replaced }) => sum + replaced, 0)).toBe(1);
  await expect.poll(() => mailsTo(recipient_email)).toHaveLength(1);
  expect(await importing(workspace, sent, '--send')).toMatchObject({ same_version: 1 });

  expect((await send(resend, { id }, { token })).status).toBe(200);
  await expect.poll(() => mailsTo(recipient_email)).toHaveLength(2);
  const ended = { last_attempt: { status: 'sent' } };
  await expect.poll(() => findSummary(id)).toMatchObject(ended);
  const resent = await adminJson('offer', 'show', id);
  expect(resent).toMatchObject({ status: 'sent', delivery: { attempts: 2 } });
  expect(resent.attempts).toMatchObject([
    {
      status: 'sent',
      message_id: expect.any(String),
      author: { actor: expect.stringMatching(/^operator:/) },
    },
    { id: resent.delivery.last_attempt.id, status: 'sent' },
  ]);
  const { stdout } = await admin('offer', 'show', id);
  expect(stdout).toMatch(/^version +2$/m);
  for (const { id } of resent.attempts) expect(stdout).toContain(id);
});

test('a new offer is mailed with --send, and not without', async () => {
  const { workspace } = await newTenant();
  const [old, fresh] = [newOpaque(), newOpaque()].map((name) => ({
    id: `ofr_${name}`,
    recipient_email: `${name.toLowerCase()}@example.com`,
    status: 'sent',
    version: 1,
  }));
  await importing(workspace, old ?? {});
  expect(await importing(workspace, fresh ?? {}, '--send')).toMatchObject({ created: 1 });
  await expect.poll(() => mailsTo(String(fresh?.recipient_email))).toHaveLength(1);
  expect(await attemptsOf(String(old?.id))).toEqual([]);
});
