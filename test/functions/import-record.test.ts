import { describe, expect, test } from 'vitest';
import { readPartition } from '../../bin/admin/table/scan.ts';
import { messages, requestTo } from '../../bin/testing/function-events.ts';
import { newTenant } from '../../bin/testing/tenants.ts';
import { routes } from '../../functions/domain/routes.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { offerRecord, requestRecord } from '../support/records.ts';
import { expectLine, useFunctions } from '../support/use-functions.ts';
import { answerOf, failuresOf } from './answers.ts';

const { deployed, proxied, tenant } = await useFunctions();
const { workspace, manager } = tenant;

const lambda = deployed('import-record');
const approver = deployed('approve-payment-request');

/** Sends messages of this workspace in one batch. @returns the ids of those that come again */
const put = (...sent: object[]) =>
  failuresOf(lambda, messages(...sent.map((each) => JSON.stringify({ workspace, ...each }))));

const approve = async (id: string) => {
  const event = requestTo(routes.approvePaymentRequest, {
    tenant,
    id,
    body: { approver: manager },
  });
  expect((await answerOf(approver, event)).status).toBe(200);
};

const requestAt = (id: string) => read(keys.paymentRequest(id));
const sender = { actor: 'sender:AIDA', request: 'message-0', version: 'v1' };

test('a record is created, replaced by a higher version and by no other, and names its senders', async () => {
  const record = requestRecord();
  const { id } = record;
  expect(await put({ version: 2, payment_request: record })).toEqual([]);
  const created = await requestAt(id);
  expect(created).toEqual({
    ...{ ...keys.paymentRequest(id), type: 'PAYMENT_REQUEST', workspace, version: 2 },
    ...{ ...record, author: sender },
  });

  const others = { ...record, amount: '1.00', note: 'Later', created: '2020-01-01T00:00:00.000Z' };
  const message = (version: number) => ({ version, payment_request: others });
  await put(message(2), message(1));
  expect(await requestAt(id)).toEqual(created);

  expect(await put(message(2), message(7))).toEqual([]);
  expect(await requestAt(id)).toEqual({
    ...{ ...created, ...others, created: record.created, version: 7 },
    changed: { ...sender, request: 'message-1', at: expect.any(String) },
  });
});

test('an approval keeps what it has approved, and its status until a message ends it', async () => {
  const record = requestRecord();
  const send = (version: number, fields: object) =>
    put({ version, payment_request: { ...record, ...fields } });
  await send(1, {});
  await approve(record.id);
  for (const fields of [{ amount: '9.00' }, { currency: 'EUR' }, { worker: 'wr_2' }]) {
    expect(await send(2, fields)).toEqual(['message-0']);
  }
  await expectLine(lambda, {
    level: 'ERROR',
    payment_request: record.id,
    error: expect.objectContaining({ code: 'approved_otherwise' }),
  });
  expect(await send(3, { note: 'Checked', payment: { id: 'p' } })).toEqual([]);
  expect(await requestAt(record.id)).toMatchObject({ status: 'approved', note: 'Checked' });
  expect(await send(4, { status: 'paid' })).toEqual([]);
  expect(await send(5, { status: 'pending' })).toEqual([]);
  expect(await requestAt(record.id)).toMatchObject({ status: 'paid', version: 5 });
  await approve(record.id);
  expect(await requestAt(record.id)).toMatchObject({ status: 'approved', version: 5 });
});

describe('an offer', () => {
  const send = (offer: object, version: number, more = {}) => put({ version, offer, ...more });
  const attemptsOf = async (id: string) => {
    const items = await readPartition(keys.offer(id).pk);
    const attempts = items.filter(({ type }) => type === 'DELIVERY');
    expect((await read(keys.offer(id)))?.attempts).toBe(attempts.length);
    return attempts;
  };

  test('that was a draft is mailed when it becomes sent, once, and then ends', async () => {
    const offer = offerRecord();
    await send(offer, 1);
    expect(await attemptsOf(offer.id)).toEqual([]);
    const sent = { ...offer, status: 'sent' };
    expect([await send(sent, 2), await send(sent, 2), await send(sent, 3)]).toEqual([[], [], []]);
    expect(await attemptsOf(offer.id)).toMatchObject([{ status: 'queued', author: sender }]);
    await send({ ...offer, status: 'accepted' }, 4);
    await send({ ...sent, recipient_email: 'moved@example.com' }, 5);
    expect(await read(keys.offer(offer.id))).toMatchObject({
      ...{ status: 'accepted', recipient_email: 'moved@example.com', version: 5, attempts: 1 },
    });
  });

  test('that is new and sent is mailed only if the message says so', async () => {
    const [old, fresh] = [offerRecord({ status: 'sent' }), offerRecord({ status: 'sent' })];
    await send(old, 1);
    await send(old, 2, { send: true });
    expect(await attemptsOf(old.id)).toEqual([]);
    for (const version of [1, 1, 2]) await send(fresh, version, { send: true });
    expect(await attemptsOf(fresh.id)).toHaveLength(1);
  });

  test('is not created without its mail', async () => {
    const { proxy, lambda: by } = await proxied('import-record');
    const offer = offerRecord({ status: 'sent' });
    const body = JSON.stringify({ workspace, version: 1, offer, send: true });
    proxy.inject({ operation: 'TransactWriteItems', fault: { kind: 'loseReply' } });
    await failuresOf(by, messages(body));
    await failuresOf(by, messages(body));
    expect(await attemptsOf(offer.id)).toHaveLength(1);
  });
});

test('whose record it is, is checked', async () => {
  const [mine, theirs] = [requestRecord(), requestRecord()];
  const other = (await newTenant()).workspace;
  await put({ workspace: other, version: 1, payment_request: theirs });
  const failed = await put(
    { version: 2, payment_request: theirs },
    { workspace: 'wsp_unknown', version: 1, payment_request: mine },
    { version: 1, payment_request: mine },
  );
  expect(failed.sort()).toEqual(['message-0', 'message-1']);
  expect(await requestAt(theirs.id)).toMatchObject({ workspace: other, version: 1 });
  expect(await requestAt(mine.id)).toMatchObject({ workspace });
});

test.each([
  ['a member constructor', '{ "constructor": { "name": "String" }, "number": "A-1" }'],
  ['a member without a name', '{ "": "A-1" }'],
  ['80,000 levels', `${'['.repeat(80_000)}${']'.repeat(80_000)}`],
])(
  'documents that the table would not keep, with %s, are refused by their place',
  async (_, text) => {
    const by = deployed('import-record');
    const record = requestRecord({ documents: ['document'] });
    const body = JSON.stringify({ workspace, version: 1, payment_request: record }).replace(
      '"document"',
      text,
    );
    expect(await failuresOf(by, messages(body))).toEqual(['message-0']);
    expect(await requestAt(record.id)).toBeUndefined();
    const message = expect.stringContaining('payment_request.documents (unstorable)');
    await expectLine(by, {
      payment_request: record.id,
      error: expect.objectContaining({ message }),
    });
  },
);

test('a message that is not valid comes again alone; the log has its faults and ids, and no value', async () => {
  const by = deployed('import-record');
  const good = requestRecord();
  const secret = 'Secret';
  const bad = {
    ...requestRecord({
      note: secret,
      documents: [JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)],
    }),
    ...{ status: 'approved', amount: secret, [secret]: 1 },
    period: { starts: '2026-10-31', ends: '2026-10-01' },
  };
  const bodies = [
    { version: 0, payment_request: bad },
    { version: 1, offer: offerRecord(), send: true },
    { version: 1, payment_request: good, offer: offerRecord() },
    { version: 1, payment_request: { ...good, payment: { secret: 1234567890123456 } } },
    { version: 1, payment_request: { ...good, payment: { fifteenDigits: 1234567890123.45 } } },
  ].map((each) => JSON.stringify({ workspace, ...each }));
  const failed = await failuresOf(by, messages(...bodies, `${secret}{`));
  expect(failed.sort()).toEqual(['message-0', 'message-1', 'message-2', 'message-3', 'message-5']);
  const faults = [
    'version (too_small)',
    'payment_request.amount (invalid_format)',
    'payment_request.status (invalid_value)',
    'payment_request.period.ends (ends_before_start)',
    'payment_request.documents (unstorable)',
    'payment_request (unrecognized_keys)',
  ];
  await expectLine(by, {
    ...{ level: 'ERROR', message_id: 'message-0', request_id: 'message-0', workspace },
    payment_request: bad.id,
    error: expect.objectContaining({
      message: expect.stringMatching(
        new RegExp(faults.map((each) => `(?=.*${each.replaceAll(/[().]/g, '\\$&')})`).join('')),
      ),
    }),
  });
  const messageOf = (text: string) =>
    expect.objectContaining({ message: expect.stringContaining(text) });
  await expectLine(by, { message_id: 'message-1', error: messageOf('send (not_sent)') });
  await expectLine(by, { message_id: 'message-2', error: messageOf('it (one_record)') });
  await expectLine(by, {
    message_id: 'message-3',
    error: expect.objectContaining({ code: 'inexact' }),
  });
  expect(by.log.join('\n')).not.toContain('1234567890123456');
  await expectLine(by, { level: 'INFO', workspace, payment_request: good.id });
  expect(by.log.join('\n')).not.toContain(secret);
  expect(by.log.join('\n')).not.toContain(good.worker);
});
