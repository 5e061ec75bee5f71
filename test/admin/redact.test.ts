import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { recordLine } from '../../bin/admin/kinds/all.ts';
import { redactedAddress } from '../../bin/admin/kinds/offer.ts';
import { eventfulItems } from '../../bin/admin/table/eventful-items.ts';
import { loadOffer } from '../../bin/admin/table/offers.ts';
import {
  longestRequestMs,
  redactWorkspace,
  surveyRedactions,
} from '../../bin/admin/table/redact-workspace.ts';
import { readRedactions, redactionItems } from '../../bin/admin/table/redactions.ts';
import { scan } from '../../bin/admin/table/scan.ts';
import type { Event } from '../../functions/domain/events.ts';
import { routes } from '../../functions/domain/routes.ts';
import { claimKey } from '../../functions/idempotency/intent.ts';
import { loadEvent } from '../../functions/queue/publish.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { endDelivery } from '../../functions/store/deliveries.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { findAttempt, waitingOffer } from '../support/delivery-attempts.ts';
import { send } from '../support/http.ts';
import { formatLines, parseLines } from '../support/json-lines.ts';
import { approve, resend } from '../support/keyed-operations.ts';
import { putAll, removeAll } from '../support/put-all.ts';
import { stack } from '../support/running-stack.ts';
import { mailEvent } from '../support/sample-mail-events.ts';
import { newOffer, newPaymentRequest, newTenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { itemsWith, mailEventsUrl, newClient, personal, sendMessage } from './personal-data.ts';
import {
  admin,
  adminAt,
  adminJson,
  adminPausing,
  file,
  jsonAt,
  newTable,
  proxiedStackFile,
  sharedStackFile,
  stackFile,
} from './run-admin.ts';

/** Before this file's first event. */
const start = new Date().toISOString();

const sqs = new SQSClient({ endpoint: stack.endpoints.sqs });

/** A redaction's report, whatever its exit code. */
const redactAt = async (at: string, ...args: string[]) => {
  const { code, stdout, stderr } = await adminAt(at, 'redact', ...args, '--yes', '--json');
  return { code, stderr, ...JSON.parse(stdout || '{}') };
};
const redact = (...args: string[]) => redactAt(sharedStackFile, ...args);

/** The types of the items that are kept about a person. */
const typesAbout = async (chosen: readonly string[]): Promise<string[]> => {
  const { stdout } = await admin('export', ...chosen);
  return JSON.parse(stdout)
    .items.map(({ type }: { type: string }) => type)
    .sort();
};

/** The events of both redactions of a workspace, when they have come, in their order. */
const redactionsPublished = async (workspace: string) => {
  const { stdout } = await admin('events', '--since', start, '--json');
  const own = parseLines(stdout).filter(
    (event: Event) => event.type === 'personal_data.redacted' && event.workspace === workspace,
  );
  return own.sort((one, other) => (one.id < other.id ? -1 : 1));
};

test.concurrent('nothing is left of a worker but what the documents name, and a replay is answered', async ({
  expect,
}) => {
  const { workspace, token, manager } = await newTenant();
  const secret = `secret-${newOpaque()}`;
  const fields = { worker: `wr_${newOpaque()}`, ...personal(secret) };
  const { id } = await newPaymentRequest(workspace, { ...fields, status: 'paid' });
  const { id: pending } = await newPaymentRequest(workspace, { ...fields, reference: 'INV-2' });
  const { id: other } = await newPaymentRequest(workspace);
  const approveOnce = () =>
    send(approve, { id, manager, reason: `Reason of ${secret}` }, { token, key: 'k' });
  const first = await approveOnce();
  const chosen = ['--workspace', workspace, '--worker', fields.worker];
  const found = { PAYMENT_REQUEST: 1, APPROVAL: 1, CLAIM: 1 };
  const [request, ...others] = ['PAYMENT_REQUEST', 'APPROVAL', 'CLAIM'];
  expect(await typesAbout(chosen)).toEqual([request, request, ...others].sort());

  const planned = await redact(...chosen, '--dry-run');
  const done = await redact(...chosen);

  const obstacles = [{ id: pending, detail: 'is pending' }];
  expect(planned).toMatchObject({ code: 1, ids: [id], found, obstacles, redacted: {} });
  expect(done).toMatchObject({ code: 1, ids: [id], found: {}, obstacles, redacted: found });
  expect((await itemsWith(secret)).map((item) => item.id)).toEqual([pending]);
  const replay = await approveOnce();
  expect(replay.headers.get('Idempotent-Replayed')).toBe('true');
  expect(replay.text).toBe(
    JSON.stringify({
      ...first.body,
      ...{ reference: 'redacted', note: '', documents: [], payment: {} },
    }),
  );
  expect((await admin('export', '--workspace', workspace)).stdout).not.toContain(`INV ${secret}`);
  expect(JSON.stringify(await itemsWith(other))).toContain('INV-1');

  const { body } = await send(approve, { id: pending, manager }, { token });
  expect(body.status).toBe('approved');
  expect(await redact(...chosen)).toMatchObject({ code: 0, ids: [pending], obstacles: [] });
  expect(await itemsWith(secret)).toEqual([]);
  const redactions = ['REDACTION', 'REDACTION', 'APPROVAL'];
  expect(await typesAbout(chosen)).toEqual([request, request, ...others, ...redactions].sort());
  await expect
    .poll(() => redactionsPublished(workspace))
    .toMatchObject([{ data: { ids: [id] } }, { data: { ids: [pending] } }]);
  const published = await redactionsPublished(workspace);
  const again = await Array.fromAsync(eventfulItems(first.body.created));
  const [approval] = again.filter((item) => item.payment_request === id);
  expect((await loadEvent(approval ?? {})).data).not.toHaveProperty('approval.reason');
  expect(again.map((item) => `evt_${item.id}_redacted`)).toEqual(
    expect.arrayContaining(published.map((event) => event.id)),
  );
  const { story } = await adminJson('trail', id);
  expect(story).toContainEqual(
    expect.objectContaining({
      what: 'personal data redacted',
      actor: expect.stringContaining('operator:'),
      details: { ids: [id] },
    }),
  );
});

test.concurrent('a request that has read the data may save it until the pause is over, and it is redacted', async () => {
  const { workspace, token, manager } = await newTenant();
  const secret = `secret-${newOpaque()}`;
  const { id } = await newPaymentRequest(workspace, { ...personal(secret), status: 'paid' });
  await send(approve, { id, manager }, { token, key: 'k' });
  const claimOf = (key: string) =>
    claimKey({ workspace, operation: routes.approvePaymentRequest.functionName, key });
  const saved = await read(claimOf('k'));
  const pauses: number[] = [];

  const { code, stdout } = await adminPausing(
    async (ms) => {
      pauses.push(ms);
      await putAll([{ ...saved, ...claimOf('late') }]);
    },
    ...['redact', '--workspace', workspace, '--ids', file('ids', id), '--yes', '--json'],
  );

  expect(pauses).toEqual([longestRequestMs]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { redacted: { CLAIM: 2 }, found: {} }]);
  expect(await itemsWith(secret)).toEqual([]);
});

test.concurrent('an offer is voided at once, and loses its address when nothing is mailed to it any more', async ({
  expect,
}) => {
  const { workspace, token } = await newTenant();
  const { offer, attempt } = await waitingOffer(workspace, { status: 'sending' });
  const resendOnce = () => send(resend, offer, { token, key: 'k' });
  // A letter is hidden from other commands while one reads it: nothing else reads this queue.
  const { QueueUrl: deadLetters = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: `mail-events-${newOpaque()}` }),
  );
  const at = stackFile({ queues: { 'mail-events': { url: mailEventsUrl, deadLetters } } });
  const { MessageId: letter } = await sendMessage(
    deadLetters,
    mailEvent(attempt, 'complaint', workspace),
  );
  const first = await resendOnce();
  const chosen = ['--workspace', workspace];
  const recipient = ['--recipient', offer.recipient_email.toUpperCase()];

  expect(await typesAbout([...chosen, ...recipient])).toEqual(
    ['OFFER', 'DELIVERY', 'DELIVERY', 'CLAIM'].sort(),
  );
  const done = await redactAt(at, ...chosen, ...recipient);

  expect(done).toMatchObject({ code: 1, ids: [offer.id], found: { OFFER: 1 } });
  // The attempt of the resend may still wait too.
  expect(done.obstacles).toEqual(
    expect.arrayContaining([
      { id: attempt.id, detail: `of ${offer.id} is sending` },
      { id: letter, detail: 'is a dead letter: run `dead-letters discard`' },
    ]),
  );
  const refused = await send(resend, offer, { token });
  expect(refused.body).toMatchObject({ code: 'offer_not_sent' });
  expect((await resendOnce()).body).toEqual({ ...first.body, recipient_email: redactedAddress });

  const unsent = async () => {
    const { attempts } = await loadOffer(offer.id);
    return attempts.filter(({ id, status }) => id !== attempt.id && status !== 'sent');
  };
  await expect.poll(unsent).toEqual([]);
  await endDelivery(attempt, { status: 'failed', reason: 'message_rejected' });
  await jsonAt(at, 'dead-letters', 'discard', String(letter), '--yes');
  // Its address is gone from the saved answers: without a choice, what is named goes on.
  const rest = await redactAt(at, ...chosen);
  expect(rest).toMatchObject({ code: 0, redacted: { OFFER: 1 }, found: {} });
  expect(await itemsWith(offer.recipient_email)).toEqual([]);
});

test.concurrent('an import redacts what it brings, by the redactions of the table and of the file', async () => {
  const secret = `secret-${newOpaque()}`.toLowerCase();
  const { workspace, subjects, act } = await newClient(secret);
  for (const key of [1, null]) await act({ what: 'approve', key });
  const { offer, attempt } = await waitingOffer(workspace, { status: 'sending' });
  const exported = async (at = sharedStackFile) =>
    (await adminAt(at, 'export', '--workspace', workspace, '--tokens')).stdout;
  const older = await exported();
  const redactions = redactionItems(workspace, [...subjects, offer.id], author);
  for (const item of redactions) await commitNew(item);
  await redactWorkspace(redactions, async () => {});
  const newer = await exported();
  const importReport = (lines: string, at = sharedStackFile, ...more: string[]) =>
    jsonAt(at, 'import', file('lines.jsonl', lines), ...more);

  expect(older).toContain(secret);
  expect(await importReport(older)).toMatchObject({ created: 0, updated: 0, findings: {} });
  expect(await itemsWith(secret)).toEqual([]);
  expect(await findAttempt(attempt)).toMatchObject({ status: 'sending' });

  // The redaction is in the last lines.
  const lines = older + newer.trim().split('\n').reverse().join('\n');
  const both = stackFile({ table: await newTable() });
  const foreseen = await importReport(lines, both, '--dry-run');
  expect(await importReport(lines, both)).toEqual({ ...foreseen, dry_run: false });
  expect(foreseen).toMatchObject({ findings: {} });
  expect(await exported(both)).not.toContain(secret);
  expect(await jsonAt(both, 'offer', 'show', offer.id)).toMatchObject({
    ...{ status: 'voided', recipient_email: redactedAddress },
    attempts: [{ status: 'failed', reason: 'redacted' }],
  });
  expect((await adminAt(both, 'verify')).stdout).toContain('No violation');
});

test.concurrent('an import redacts what it finds in an older copy of the table', async () => {
  const secret = `secret-${newOpaque()}`.toLowerCase();
  const { workspace, subjects, act } = await newClient(secret);
  await act({ what: 'approve', key: 1 });
  const exported = async (at = sharedStackFile) =>
    (await adminAt(at, 'export', '--workspace', workspace)).stdout;
  const at = stackFile({ table: await newTable() });
  await jsonAt(at, 'import', file('older.jsonl', await exported()));
  for (const item of redactionItems(workspace, subjects, author)) await commitNew(item);

  const { code, stdout } = await adminAt(
    at,
    'import',
    file('newer.jsonl', await exported()),
    '--json',
  );

  const redacted = { PAYMENT_REQUEST: 1, APPROVAL: 1, OFFER: 1, CLAIM: 1 };
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { created: 1, redacted, found: {}, findings: {} },
  ]);
  expect(await exported(at)).not.toContain(secret);
});

test.concurrent('redact of nobody is an error at once', async () => {
  const { workspace } = await newTenant();
  const { id } = await newPaymentRequest(workspace, { status: 'paid' });
  // It would be continued, after a pause.
  for (const item of redactionItems(workspace, [id], author)) await commitNew(item);
  for (const [option, name, sentence] of [
    ['--worker', 'wr_nobody', `${workspace} has no payment request of the worker wr_nobody.`],
    ['--recipient', 'nobody@example.com', `${workspace} has no offer to nobody@example.com.`],
  ] as const) {
    for (const more of [[], ['--dry-run']]) {
      const run = await redact('--workspace', workspace, option, name, ...more);
      expect([run.code, JSON.parse(run.stderr).error]).toEqual([
        1,
        expect.stringContaining(sentence),
      ]);
    }
  }
  expect(await readRedactions(workspace)).toHaveLength(1);
});

test('of two redactions of a person at once, one is recorded', async () => {
  const { workspace } = await newTenant();
  const { id, recipient_email } = await newOffer(workspace);
  const chosen = ['--workspace', workspace, '--recipient', recipient_email];
  const { proxy, at } = await proxiedStackFile();
  // It has found the offer, and reads the redactions again.
  const { held, release } = proxy.hold({ operation: 'Query', calls: [2] });
  const late = redactAt(at, ...chosen);
  await held;
  expect(await redact(...chosen)).toMatchObject({ code: 0, ids: [id] });
  release();
  expect(await late).toMatchObject({ code: 0, ids: [], found: {} });
  expect(await readRedactions(workspace)).toMatchObject([{ ids: [id] }]);
});

test('a redaction whose reply is lost counts, and counts once', async () => {
  const { workspace } = await newTenant();
  const { id, recipient_email } = await newOffer(workspace);
  await newOffer(workspace, { recipient_email });
  const { proxy, at } = await proxiedStackFile();
  const address = { operation: 'UpdateItem', about: redactedAddress };
  proxy.inject({ ...address, calls: [1], fault: { kind: 'loseReply' } });

  const recipient = ['--workspace', workspace, '--recipient', recipient_email];
  const redacted = { code: 0, redacted: { OFFER: 2 }, found: {} };
  expect(await redactAt(at, ...recipient)).toMatchObject(redacted);
  expect(proxy.clear().met).toEqual(['loseReply']);

  // Two redactions may name one record.
  const request = await newPaymentRequest(workspace, { status: 'paid' });
  const named = redactionItems(workspace, [request.id], author);
  const twice = [...named, ...redactionItems(workspace, [request.id, id], author)];
  expect(await redactWorkspace(twice, async () => {})).toEqual({ PAYMENT_REQUEST: 1 });
});

test('records are chosen by their ids, and of this workspace alone', async () => {
  const { workspace } = await newTenant();
  const own = await newOffer(workspace);
  const foreign = await newOffer((await newTenant()).workspace);
  const long = 'x'.repeat(3000);
  const ids = file('ids', `${own.id}\n${foreign.id}\nptr_${long}\n`);
  const chosen = ['--workspace', workspace, '--ids', ids];
  expect(await redact(...chosen)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `There is no payment request or offer ${foreign.id}, ptr_${long} in ${workspace}.`,
    ),
  });
  expect(await redact(...chosen, '--worker', 'wr_1')).toMatchObject({ code: 2 });
  const empty = file('ids', '\n');
  expect(await redact('--workspace', workspace, '--ids', empty)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${empty} names no payment request and no offer.`),
  });
  expect(await itemsWith(own.recipient_email)).toHaveLength(1);
});

test('a redaction of another workspace leaves the approvals of a payment request', async () => {
  const { workspace, token, manager } = await newTenant();
  const other = await newTenant();
  const { id } = await newPaymentRequest(workspace);
  const reason = `secret-${newOpaque()}`;
  await send(approve, { id, manager, reason }, { token });
  const exported = (await admin('export', '--workspace', workspace)).stdout;
  const foreign = redactionItems(other.workspace, [id], author);
  for (const item of foreign) await commitNew(item);

  expect((await surveyRedactions(foreign)).found).toEqual({});
  expect(await redactWorkspace(foreign, async () => {})).toEqual({});
  expect(await itemsWith(reason)).toHaveLength(1);

  // Nor do an import and a restore apply it.
  const redactions = formatLines(foreign.map(recordLine));
  const copy = await newTable();
  const at = stackFile({ table: copy });
  expect(await jsonAt(at, 'import', file('lines.jsonl', redactions + exported))).toMatchObject({
    findings: {},
  });
  const inService = await newTable(await Array.fromAsync(scan({ TableName: copy })));
  const { approvals } = await jsonAt(at, 'payment-request', 'show', id);
  expect(approvals).toMatchObject([{ reason }]);
  await removeAll([keys.approval(id, approvals[0].id)], inService);
  const restored = stackFile({ table: inService });
  const restoring = ['restore', '--from', copy, '--at', new Date().toISOString(), '--yes'];
  expect(await jsonAt(restored, ...restoring)).toMatchObject({ created: 1 });
  expect((await jsonAt(restored, 'payment-request', 'show', id)).approvals).toEqual(approvals);
});

test.concurrent('a redacted record that is imported from a list again comes without its data', async () => {
  const { workspace } = await newTenant();
  const [offer, request] = [`ofr_${newOpaque()}`, `ptr_${newOpaque()}`];
  const secret = `secret-${newOpaque()}`;
  for (const item of redactionItems(workspace, [offer, request], author)) await commitNew(item);
  const lines = {
    offer: { id: offer, recipient_email: `${secret}@example.com` },
    'payment-request': {
      id: request,
      worker: `wr_${newOpaque()}`,
      amount: '1.00',
      currency: 'USD',
      reference: secret,
      period: { starts: '2026-10-01', ends: '2026-10-31' },
    },
  };

  for (const [noun, line] of Object.entries(lines)) {
    const list = file(`${noun}.jsonl`, JSON.stringify(line));
    const { created } = await adminJson(noun, 'import', '--workspace', workspace, list);
    expect(created).toBe(1);
  }

  expect(await itemsWith(secret)).toEqual([]);
  expect(await itemsWith(offer)).toContainEqual(
    expect.objectContaining({ recipient_email: redactedAddress, status: 'voided' }),
  );
});
