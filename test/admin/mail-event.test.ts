import { expect, test } from 'vitest';
import { sesEvent } from '../../bin/admin/events/ses-event.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import { MailEvent } from '../../functions/domain/mail-event.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { newOffer, newTenant } from '../support/tenants.ts';
import { admin, adminAt, adminJson, offerThatIs, stackFile } from './run-admin.ts';

/** The id of the last attempt of an offer that was sent, and whose mail SES has. */
const sendOffer = async (id: string, key: string) => {
  await adminJson('offer', 'send', id, '--key', key);
  return reached(id, 'sent');
};

const reached = async (id: string, status: string) =>
  (await offerThatIs(status, id)).delivery.last_attempt;

test('what SES would say of a mail reaches the offer by the way that it takes there', async () => {
  const { workspace } = await newTenant();
  const { id } = await newOffer(workspace, { status: 'draft' });
  const { id: delivery } = await sendOffer(id, 'mail-event');

  const soft = ['--event', 'bounced', '--bounce-type', 'transient'];
  expect(await adminJson('offer', 'mail-event', id, ...soft)).toEqual({
    event_id: expect.stringMatching(/^[-\da-f]{36}$/),
    detail_type: 'Email Bounced',
    delivery,
  });
  expect(await reached(id, 'bounced')).toMatchObject({ id: delivery, reason: 'transient' });

  await adminJson('offer', 'mail-event', id, '--event', 'delivered', '--delivery', delivery);
  expect(await reached(id, 'delivered')).not.toHaveProperty('reason');

  const hard = await admin('offer', 'mail-event', id, '--event', 'bounced');
  expect(hard.stdout).toMatch(new RegExp(`^Email Bounced: ${delivery}, event [-\\da-f]{36}\\.\n$`));
  expect(await reached(id, 'bounced')).toMatchObject({ reason: 'permanent' });

  await adminJson('offer', 'mail-event', id, '--event', 'complained');
  await reached(id, 'complained');
  const { stdout } = await admin('offer', 'show', id);
  expect(stdout).toContain(`last attempt  ${delivery} complained\n`);
});

test('the event names what the tags of the mail name', () => {
  const now = '2026-11-01T10:00:00.000Z';
  const [offer, id, request_id] = ['ofr_1', `dlv_${newOpaque()}`, newOpaque()];
  const { Detail = '' } = sesEvent({
    event: 'delivered',
    bounceType: 'permanent',
    workspace: 'wsp_1',
    attempt: {
      ...{ id, offer, status: 'sent', created: now, updated: now },
      author: newAuthor('operator:test', request_id),
    },
    recipient: 'worker@example.com',
    configurationSet: 'offers',
    now,
  });
  const read = MailEvent.parse({ detail: JSON.parse(Detail) });
  expect(read).toEqual({
    request_id,
    workspace: 'wsp_1',
    offer,
    delivery: id,
    status: 'delivered',
  });
});

test('refuses an attempt whose mail was never sent', async () => {
  const { workspace } = await newTenant();
  const draft = await newOffer(workspace, { status: 'draft' });
  const mailEvent = (...args: string[]) => admin('offer', 'mail-event', ...args);

  const unsent = await mailEvent(draft.id, '--event', 'delivered');
  expect([unsent.code, unsent.stderr]).toEqual([1, `error: ${draft.id} has not been sent.\n`]);
  const other = await mailEvent(draft.id, '--event', 'delivered', '--delivery', 'dlv_none');
  expect(other.stderr).toBe(`error: ${draft.id} has no delivery attempt dlv_none.\n`);
  const mixed = await mailEvent(draft.id, '--event', 'delivered', '--bounce-type', 'transient');
  expect(mixed.stderr).toBe('error: --bounce-type belongs to --event bounced.\n');
  const unknown = await mailEvent(draft.id, '--event', 'opened');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('complained')]);
});

test('on a deployed stage SES has a simulator of its own', async () => {
  const run = await admin('--stage', 'prod', 'offer', 'mail-event', 'ofr_1', '--event', 'bounced');
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('bounce@simulator.')]);
});

test('refuses a test workspace, which sends no mail', async () => {
  const { id } = await newOffer(`wsp_test_${newOpaque()}`, { status: 'draft' });
  await adminJson('offer', 'send', id, '--key', 'simulated');
  await reached(id, 'simulated');

  const run = await admin('offer', 'mail-event', id, '--event', 'delivered');
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('it is simulated')]);
});

test('a service without the mail of its own says so', async () => {
  const at = stackFile({ mailConfigurationSet: undefined });
  const run = await adminAt(at, 'offer', 'mail-event', 'ofr_1', '--event', 'delivered');
  expect(run.stderr).toBe('error: The stack has no output MailConfigurationSet.\n');
});
