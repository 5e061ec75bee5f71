import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { redactedAddress } from '../../../functions/domain/redaction.ts';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { endDelivery } from '../../../functions/store/deliveries.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readItem } from '../../../functions/store/read.ts';
import { waitingOffer } from '../../../test/support/delivery-attempts.ts';
import { send } from '../../../test/support/http.ts';
import { approve, resend } from '../../../test/support/keyed-operations.ts';
import { mailsTo } from '../../../test/support/mails-to.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { newOffer, newPaymentRequest, newTenant } from '../../../test/support/tenants.ts';
import { openEventTap } from '../../smoke/event-tap.ts';
import { scan } from '../table/scan.ts';
import { admin, adminAt, proxiedStackFile, sharedStackFile } from './run-admin.ts';

/** What a redaction reports, whatever its exit code. */
const redactAt = async (at: string, ...args: string[]) => {
  const { code, stdout } = await adminAt(at, 'redact', ...args, '--yes', '--json');
  return { code, ...JSON.parse(stdout) };
};
const redact = (...args: string[]) => redactAt(sharedStackFile, ...args);

/** The types of the items outside of saved responses that hold a text. */
const typesWith = async (text: string) =>
  (await Array.fromAsync(scan()))
    .filter((item) => item.type !== 'CLAIM' && JSON.stringify(item).includes(text))
    .map(({ type }) => type);

/** The types of the items that are kept about a person. */
const typesAbout = async (chosen: readonly string[]): Promise<string[]> =>
  JSON.parse((await admin('export', ...chosen)).stdout)
    .items.map(({ type }: { type: string }) => type)
    .sort();

/** Personal data in all members of a payment request that may hold some. */
const personal = (secret: string) => ({
  note: `Note of ${secret}`,
  reference: `INV ${secret}`,
  documents: [{ name: secret }],
  payment: { iban: secret },
});

test('nothing is left of a worker but saved responses, and a pending payment request waits', async () => {
  const tap = await openEventTap(String(stack.outputs.EventBusArn), `redact-${randomUUID()}`);
  onTestFinished(() => tap.close());
  const { workspace, token, manager } = await newTenant();
  const secret = `secret-${newOpaque()}`;
  const fields = { worker: `wr_${newOpaque()}`, ...personal(secret) };
  const { id } = await newPaymentRequest(workspace, { ...fields, status: 'paid' });
  const { id: pending } = await newPaymentRequest(workspace, fields);
  const { id: other } = await newPaymentRequest(workspace);
  const approval = { id, manager, reason: `Reason of ${secret}` };
  const first = await send(approve, approval, { token, key: 'k' });
  const chosen = ['--workspace', workspace, '--worker', fields.worker];
  const [request, ...beside] = ['PAYMENT_REQUEST', 'APPROVAL', 'CLAIM'];
  expect(await typesAbout(chosen)).toEqual([request, request, ...beside].sort());

  const done = await redact(...chosen);

  expect(done).toEqual({ code: 1, workspace, redacted: [id], left: [`${pending}: is pending.`] });
  expect(await typesWith(secret)).toEqual([request]);
  const nothing = { reference: 'redacted', note: '', documents: [], payment: {} };
  expect(await readItem(keys.paymentRequest(id))).toMatchObject({ ...nothing, amount: '1250.00' });
  expect(await readItem(keys.paymentRequest(other))).toMatchObject({ reference: 'INV-1' });
  const replay = await send(approve, approval, { token, key: 'k' });
  expect(replay.text).toBe(first.text);

  // A reason that comes later.
  await send(approve, approval, { token });
  await send(approve, { id: pending, manager }, { token });
  expect(await redact(...chosen)).toMatchObject({ code: 0, left: [] });
  expect(await typesWith(secret)).toEqual([]);
  expect(await redact(...chosen)).toMatchObject({ code: 0, redacted: [], left: [] });
  expect(await typesAbout(chosen)).toContain('REDACTION');
  // By the events' identifiers: the bus may have one twice.
  const named = new Map<string, unknown>();
  const published = async () => {
    for (const { id, type, workspace: owner, data } of await tap.receive()) {
      if (owner === workspace && type === 'personal_data.redacted') named.set(id, data.ids);
    }
    return [...named.values()];
  };
  await expect.poll(published).toEqual([[id], expect.arrayContaining([id, pending])]);
});

test('an offer is not redacted while an attempt is under way, and then it is never mailed', async () => {
  const { workspace, token } = await newTenant();
  const { offer, attempt } = await waitingOffer(workspace, { status: 'sending' });
  const chosen = ['--workspace', workspace, '--recipient', offer.recipient_email.toUpperCase()];
  expect(await typesAbout(chosen)).toEqual(['DELIVERY', 'OFFER']);

  const left = [`${offer.id}: its attempt ${attempt.id} is sending.`];
  expect(await redact(...chosen)).toEqual({ code: 1, workspace, redacted: [], left });
  expect(await readItem(keys.offer(offer.id))).toMatchObject(offer);

  await endDelivery(attempt, { status: 'failed', reason: 'message_rejected' });
  expect(await redact(...chosen)).toMatchObject({ code: 0, redacted: [offer.id], left: [] });
  const voided = { recipient_email: redactedAddress, status: 'voided' };
  expect(await readItem(keys.offer(offer.id))).toMatchObject(voided);
  expect((await send(resend, offer, { token })).body.code).toBe('offer_not_sent');
  expect(await typesWith(offer.recipient_email)).toEqual([]);
});

test.each([
  'AMARA@mu\u0308nchen.example',
  'amara@MÜNCHEN。EXAMPLE',
  'amara@xn--mnchen-3ya.example',
])('finds the offers to %s, whose domain is stored in Punycode', async (recipient) => {
  const { workspace } = await newTenant();
  await newOffer(workspace, { recipient_email: 'Amara@XN--mnchen-3ya.example' });
  await newOffer(workspace, { recipient_email: 'amara@munchen.example' });
  const chosen = ['--workspace', workspace, '--recipient', recipient];
  expect(await typesAbout(chosen)).toEqual(['OFFER']);
});

test('what is sent while an offer is redacted is mailed to its recipient, and the offer stays', async () => {
  const { workspace, token } = await newTenant();
  const offer = await newOffer(workspace);
  const { proxy, at } = await proxiedStackFile();
  // After the redaction that names it.
  const { held, release } = proxy.hold({ operation: 'PutItem', calls: [2] });
  const redacting = redactAt(at, '--workspace', workspace, '--recipient', offer.recipient_email);
  await held;
  expect((await send(resend, offer, { token })).status).toBe(200);
  await expect.poll(() => mailsTo(offer.recipient_email)).toHaveLength(1);
  release();

  const left = [`${offer.id}: was changed meanwhile.`];
  expect(await redacting).toEqual({ code: 1, workspace, redacted: [], left });
  expect(await mailsTo(redactedAddress)).toEqual([]);
  const again = () => redact('--workspace', workspace, '--recipient', offer.recipient_email);
  await expect.poll(again).toMatchObject({ code: 0, redacted: [offer.id] });
});

test('a redaction whose responses are lost is done, and named once', async () => {
  const { workspace } = await newTenant();
  const { recipient_email, id } = await newOffer(workspace);
  const { proxy, at } = await proxiedStackFile();
  proxy.inject({ operation: 'PutItem', calls: [1, 3], fault: { kind: 'loseResponse' } });
  const done = await redactAt(at, '--workspace', workspace, '--recipient', recipient_email);
  expect(done).toEqual({ code: 0, workspace, redacted: [id], left: [] });
  expect(proxy.clear().met).toEqual(['loseResponse', 'loseResponse']);
  expect(await typesWith(recipient_email)).toEqual([]);
});

test.each([
  ['--worker', 'wr_nobody', 'has no payment request of the worker wr_nobody.'],
  ['--recipient', 'nobody@example.com', 'has no offer to nobody@example.com.'],
])('%s %s, of whom the workspace has nothing, is an error', async (...[option, name, sentence]) => {
  const { workspace } = await newTenant();
  for (const command of ['redact', 'export']) {
    const stderr = `error: ${workspace} ${sentence}\n`;
    const ended = await admin(command, '--workspace', workspace, option, name);
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr });
  }
});
