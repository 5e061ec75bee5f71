import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { readPartition } from '../../bin/admin/table/scan.ts';
import { rewrite } from '../../bin/admin/table/write.ts';
import { lossesIn } from '../../functions/domain/exact-json.ts';
import { RecordMessage } from '../../functions/domain/record.ts';
import { redacted } from '../../functions/domain/redaction.ts';
import { routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { keys } from '../../functions/store/keys.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { readItem } from '../../functions/store/read.ts';
import { startBus } from '../support/event-bus.ts';
import { errorResponse } from '../support/fault-proxy.ts';
import { messages, type Sent } from '../support/function-events.ts';
import { itemsUnder } from '../support/keyed-operations.ts';
import { putAll } from '../support/put-all.ts';
import { offerRecord, requestRecord } from '../support/records.ts';
import { newTenant } from '../support/tenants.ts';
import { expectLine, useFunctions } from '../support/use-functions.ts';
import { metricsIn } from './recorded-metrics.ts';
import { failuresOf, responseOf } from './responses.ts';

const { deployed, proxied, queues, takeAll, tenant } = await useFunctions();
const { workspace, manager } = tenant;

const lambda = deployed('import-record');
const approver = deployed('approve-payment-request');

/** Takes the letters, with their attributes, out of their queue. */
const takeLetters = async () => {
  const name = queues.names().find((each) => each.includes('ImportDeadLetters')) ?? '';
  const letters = await queues.receive(name, { maximum: Number.POSITIVE_INFINITY });
  queues.purge(name);
  return letters;
};

/** Sends messages of this workspace in one batch. @returns the ids of those that come again */
const put = (...sent: object[]) =>
  failuresOf(lambda, messages(...sent.map((each) => JSON.stringify({ workspace, ...each }))));

const approve = async (id: string, more: Pick<Sent, 'key'> = {}) => {
  const sent = { tenant, id, body: { approver: manager }, ...more };
  const { status, text } = await responseOf(approver, routes.approvePaymentRequest, sent);
  expect(status).toBe(200);
  return text;
};

const requestAt = (id: string) => readItem(keys.paymentRequest(id));
const sender = { actor: 'sender:AIDA', request: 'message-0', version: 'v1' };

test('a record is created, replaced by a higher version and by no other, and names its senders', async () => {
  const record = requestRecord();
  const { id } = record;
  expect(await put({ version: 2, payment_request: record })).toEqual([]);
  const created = await requestAt(id);
  expect(created).toEqual({
    ...keys.paymentRequest(id),
    type: 'PAYMENT_REQUEST',
    workspace,
    version: 2,
    ...record,
    author: sender,
    hashes: { 2: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });

  const others = { ...record, amount: '1.00', note: 'Later', created: '2020-01-01T00:00:00.000Z' };
  const message = (version: number) => ({ version, payment_request: others });
  await put(message(1));
  expect(await requestAt(id)).toEqual(created);

  expect(await put(message(1), message(7))).toEqual([]);
  expect(await requestAt(id)).toEqual({
    ...created,
    ...others,
    created: record.created,
    version: 7,
    hashes: { 7: expect.stringMatching(/^[0-9a-f]{64}$/) },
    changed: { ...sender, request: 'message-1', at: expect.any(String) },
  });
});

test('an approval keeps what it has approved and the status before it, and its own status until a message ends it', async () => {
  const record = requestRecord();
  const send = (version: number, fields: object) =>
    put({ version, payment_request: { ...record, ...fields } });
  const line = (members: object) =>
    expectLine(lambda, { level: 'INFO', payment_request: record.id, ...members });
  await send(1, {});
  await approve(record.id);
  for (const fields of [
    { amount: '9.00' },
    { currency: 'EUR', status: 'draft' },
    { worker: 'wr_2' },
  ]) {
    expect(await send(2, fields)).toEqual([]);
    expect(await takeAll('ImportDeadLetters')).toHaveLength(1);
  }
  const faults = [{ code: 'approved_otherwise', count: 1 }];
  expectLine(lambda, { level: 'ERROR', payment_request: record.id, faults, more: 0 });
  expect(await send(3, { note: 'Checked', payment: { id: 'p' } })).toEqual([]);
  expect(await requestAt(record.id)).toMatchObject({ status: 'approved', note: 'Checked' });
  expect(await send(5, { status: 'pending', note: 'Later' })).toEqual([]);
  expect(await send(4, { status: 'paid' })).toEqual([]);
  expect(await send(4, { status: 'paid' })).toEqual([]);
  const paid = { status: 'paid', note: 'Later', version: 5, status_version: 4 };
  expect(await requestAt(record.id)).toMatchObject(paid);
  await line({ result: 'replaced', version: 4, stored_version: 5 });
  await line({ result: 'known', version: 4, stored_version: 5 });
  expect(await send(6, { status: 'paid', amount: '9.00' })).toEqual([]);
  expect(await takeAll('ImportDeadLetters')).toHaveLength(1);
  await approve(record.id);
  const approved = { status: 'approved', version: 5 };
  expect(await requestAt(record.id)).toEqual(expect.objectContaining(approved));
  expect(await requestAt(record.id)).not.toHaveProperty('status_version');
  expect(await send(7, { status: 'rejected', amount: '9.00', worker: 'wr_2' })).toEqual([]);
  expect(await requestAt(record.id)).toMatchObject({ ...record, status: 'rejected', version: 7 });
  await line({ result: 'replaced', version: 7, differs_from_approved: 'worker, amount' });
  await approve(record.id);
  expect(await send(9, { status: 'pending' })).toEqual([]);
  expect(await send(8, { status: 'cancelled', currency: 'EUR' })).toEqual([]);
  await line({ result: 'replaced', version: 8, differs_from_approved: 'currency' });
  await approve(record.id);
  await approve(record.id);
  const approvals = await itemsUnder(keys.approval(record.id, ''));
  const statuses = approvals.map(({ previous_status }) => previous_status);
  expect(statuses).toEqual(['pending', 'paid', 'rejected', 'cancelled', 'approved']);
});

test('the end of an approved request is kept until another end or an approval, or a redaction', async () => {
  const began = new Date().toISOString();
  const record = requestRecord({ created: '2020-01-01T00:00:00.000Z' });
  const after = async (version: number, fields: object) => {
    expect(await put({ version, payment_request: { ...record, ...fields } })).toEqual([]);
    return { ...(await requestAt(record.id)) };
  };
  await after(1, {});
  expect(await after(2, { status: 'rejected' })).not.toHaveProperty('ended');
  await approve(record.id);
  expect(await after(5, {})).not.toHaveProperty('ended');
  const { ended } = await after(4, { status: 'cancelled' });
  const id = expect.stringMatching(/^end_/);
  const act = { ...sender, at: expect.any(String) };
  expect(ended).toEqual({ ...act, id, status: 'cancelled', record_version: 4 });
  expect(ended.at >= began).toBe(true);
  expect(await after(6, { status: 'cancelled', note: 'Twice' })).toMatchObject({ ended });
  const paid = await after(7, { status: 'paid' });
  expect(paid.ended).toEqual({ ...act, id, status: 'paid', record_version: 7 });
  expect(paid.ended.id).not.toBe(ended.id);
  expect(redacted(paid)).not.toHaveProperty('ended');
  await approve(record.id);
  expect(await requestAt(record.id)).not.toHaveProperty('ended');
  const rejected = await after(8, { status: 'rejected' });
  expect(rejected.ended).toEqual({ ...act, id, status: 'rejected', record_version: 8 });
});

test('of approvals at once, one is of the request that was pending', async () => {
  const record = requestRecord();
  await put({ version: 1, payment_request: record });
  await Promise.all(Array.from({ length: 6 }, () => approve(record.id)));
  const approvals = await itemsUnder(keys.approval(record.id, ''));
  const statuses = approvals.map(({ previous_status }) => previous_status);
  expect(statuses.sort()).toEqual([...Array(5).fill('approved'), 'pending']);
});

describe('a version that is used twice', () => {
  const record = (fields: object = {}) => requestRecord({ id, ...fields });
  let id: string;
  beforeEach(() => {
    id = requestRecord().id;
  });
  const send = async (version: number, fields: object = {}) => {
    expect(await put({ version, payment_request: record(fields) })).toEqual([]);
    return (await takeAll('ImportDeadLetters')).length;
  };
  test('with other content is a dead letter, and with the same one is known', async () => {
    const payment = { b: [{ d: 1, c: 2 }], a: 0 };
    expect(await send(7, { payment })).toBe(0);
    const stored = await requestAt(id);
    for (const fields of [{ amount: '1000.00' }, { status: 'cancelled' }, { note: 'x' }]) {
      expect(await send(7, { payment, ...fields })).toBe(1);
    }
    const faults = [{ code: 'version_reused', count: 1 }];
    expectLine(lambda, { level: 'ERROR', payment_request: id, faults });
    const same = { payment: { a: -0, b: [{ c: 2, d: 1 }] }, created: '2020-01-01T00:00:00Z' };
    expect([await send(7, same), await send(6, { note: 'Older' })]).toEqual([0, 0]);
    expect(await requestAt(id)).toEqual(stored);
    expect([await send(8, { amount: '1000.00' }), await send(8)]).toEqual([0, 1]);
    expect(await requestAt(id)).toMatchObject({ amount: '1000.00', version: 8 });
  });

  test('is known where there is no hash: of a record that was redacted', async () => {
    await send(4, { status: 'rejected', note: 'Personal' });
    const item = (await requestAt(id)) as Record<string, unknown>;
    expect(await rewrite(item, redacted(item))).toBe(true);
    expect(await requestAt(id)).not.toHaveProperty('hashes');
    expect([await send(4, { note: 'x' }), await send(5)]).toEqual([0, 1]);
    expect(await requestAt(id)).toMatchObject({ note: '', version: 4 });
  });
});

/** The significant digits of a number in JSON, and the power of ten of the last one. */
const decimalOf = (text: string) => {
  const [, sign, whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(text) ?? [];
  const digits = (whole + part).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const last = Number(power) - part.length + digits.length - significant.length;
  return significant ? [sign, significant, last] : ['0'];
};

test('numbers that are taken come out of a response with their values, and are taken again', async () => {
  const digits = fc.stringMatching(/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/);
  const power = fc.option(fc.integer({ min: -145, max: 30 }), { nil: 0 });
  const anyNumber = fc
    .tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('e', 'E'), power)
    .map((parts) => parts.join(''));
  const taken = fc.sample(anyNumber, 3000).filter((each) => lossesIn(`[${each}]`).length === 0);
  expect(taken.length).toBeGreaterThan(100);
  const sent = [...taken, '1E-130', '-1.23456789012345e-130', '9007199254740990', '0e999999999'];
  const returned = async (numbers: readonly string[]) => {
    const record = requestRecord({ documents: ['numbers'] });
    const body = JSON.stringify({ workspace, version: 1, payment_request: record });
    const message = body.replace('"numbers"', `[${numbers}]`);
    expect(await failuresOf(lambda, messages(message))).toEqual([]);
    return /"documents":\[\[(.*?)\]/.exec(await approve(record.id))?.[1]?.split(',') ?? [];
  };
  const first = await returned(sent);
  expect(first.map(decimalOf)).toEqual(sent.map(decimalOf));
  expect(await returned(first)).toEqual(first);
});

describe('the largest record', () => {
  const record = (fields: object) => requestRecord({ id: `ptr_${newOpaque()}`, ...fields });
  const messageOf = (payment_request: object) => ({ workspace, version: 1, payment_request });
  const isTaken = (payment_request: object) =>
    RecordMessage.safeParse(messageOf(payment_request)).success;
  /** The largest number that is valid. */
  const most = (isValid: (count: number) => boolean) => {
    let [valid, invalid] = [1, 300_000];
    while (invalid - valid > 1) {
      const middle = Math.floor((valid + invalid) / 2);
      if (isValid(middle)) valid = middle;
      else invalid = middle;
    }
    return valid;
  };

  test('can be approved, with a key, and paid; a larger one is refused by its place', async () => {
    const base = record({});
    const sized = (length: number) => ({ ...base, documents: ['x'.repeat(length)] });
    const length = most((each) => isTaken(sized(each)));
    expect(await put(messageOf(sized(length + 1)))).toEqual([]);
    expect(await takeAll('ImportDeadLetters')).toHaveLength(1);
    const faults = [{ member: 'payment_request', code: 'too_big', count: 1 }];
    expectLine(lambda, { payment_request: base.id, faults });
    expect(await put(messageOf(sized(length)))).toEqual([]);
    await approve(base.id, { key: 'largest' });
    const paid = { ...sized(length), status: 'paid' };
    expect(await put({ version: 2, payment_request: paid })).toEqual([]);
  });

  test.each([
    ['lists', [[[[[[[[[[]]]]]]]]]]],
    ['negative numbers', -1.5],
    ['maps', { a: false, bc: '' }],
  ])('has room in an item of DynamoDB for all that comes later, with %s', async (_, document) => {
    const base = record({});
    const sized = (count: number) => ({ ...base, documents: Array(count).fill(document) });
    const act = { ...sender, actor: `sender:${'x'.repeat(2048)}`, at: base.created };
    const hashes = { 999999999999998: 'f'.repeat(64), 999999999999999: 'f'.repeat(64) };
    const ended = { ...act, id: `end_${newOpaque()}`, status: 'cancelled', record_version: 1 };
    const later = {
      ended,
      status_version: 1,
      approved: true,
      differs: true,
      redacted: true,
      hashes,
    };
    const request = sized(most((count) => isTaken(sized(count))));
    const item = paymentRequestItem(workspace, { ...request, approvals: [] });
    await putAll([{ ...item, ...later, changed: act, author: act, version: 999_999_999_999_999 }]);
  });
});

describe('an offer', () => {
  const send = (offer: object, version: number, more = {}) => put({ version, offer, ...more });
  const attemptsOf = async (id: string) => {
    const items = await readPartition(keys.offer(id).pk);
    const attempts = items.filter(({ type }) => type === 'DELIVERY');
    expect((await readItem(keys.offer(id)))?.attempts).toBe(attempts.length);
    return attempts;
  };

  test('that was a draft is mailed when it first becomes sent, and then ends', async () => {
    const offer = offerRecord();
    await send(offer, 1);
    expect(await attemptsOf(offer.id)).toEqual([]);
    const sent = { ...offer, status: 'sent' };
    expect([await send(sent, 2), await send(sent, 2), await send(sent, 3)]).toEqual([[], [], []]);
    expect(await attemptsOf(offer.id)).toMatchObject([{ status: 'queued', author: sender }]);
    await send(offer, 4);
    await send(sent, 5, { send: true });
    expect(await attemptsOf(offer.id)).toHaveLength(1);
    await send({ ...offer, status: 'accepted' }, 6);
    expect(await readItem(keys.offer(offer.id))).toMatchObject({ status: 'accepted', version: 6 });
  });

  test('that is not sent in the table is mailed if the message says so', async () => {
    const sent = () => offerRecord({ status: 'sent' });
    const [old, fresh, ended] = [sent(), sent(), sent()];
    await send(old, 1);
    await send(old, 2, { send: true });
    expect(await attemptsOf(old.id)).toEqual([]);
    expectLine(lambda, { offer: old.id, result: 'created', mail: 'none' });
    for (const version of [1, 1, 2]) await send(fresh, version, { send: true });
    expect(await attemptsOf(fresh.id)).toHaveLength(1);
    expectLine(lambda, { offer: fresh.id, result: 'created', mail: 'queued' });
    await send({ ...ended, status: 'voided' }, 1);
    await send(ended, 2);
    expect(await attemptsOf(ended.id)).toEqual([]);
    await send({ ...ended, status: 'voided' }, 3);
    await send(ended, 4, { send: true });
    expect(await attemptsOf(ended.id)).toHaveLength(1);
  });

  test('is not created without its mail', async () => {
    const { proxy, lambda: by } = await proxied('import-record');
    const offer = offerRecord({ status: 'sent' });
    const body = JSON.stringify({ workspace, version: 1, offer, send: true });
    proxy.inject({ operation: 'TransactWriteItems', fault: { kind: 'loseResponse' } });
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
  // A sandbox may get its test workspace in a moment, so nothing has failed.
  expect(failed).toEqual(['message-1']);
  const error = expect.objectContaining({ name: 'Postponed' });
  expectLine(lambda, { level: 'WARN', message_id: 'message-1', error });
  expect(await takeAll('ImportDeadLetters')).toEqual([
    JSON.stringify({ workspace, version: 2, payment_request: theirs }),
  ]);
  expect(await requestAt(theirs.id)).toMatchObject({ workspace: other, version: 1 });
  expect(await requestAt(mine.id)).toMatchObject({ workspace });
});

test('a message that is not valid is a dead letter at once, alone; the log has its faults and ids, and no value', async () => {
  const by = deployed('import-record');
  const good = requestRecord();
  const secret = 'Secret';
  const bad = {
    ...requestRecord({
      note: secret,
      documents: [JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)],
    }),
    status: 'approved',
    amount: secret,
    [secret]: 1,
    period: { starts: '2026-10-31', ends: '2026-10-01' },
  };
  const deep = `"documents":${'['.repeat(80_000)}${']'.repeat(80_000)}`;
  const goodWith = (payment: unknown) => ({ version: 1, payment_request: { ...good, payment } });
  const goodJson = JSON.stringify({ workspace, ...goodWith(null) });
  /** Messages, and all their faults, each once. */
  const sent: [object | string, string[]][] = [
    [
      { version: 0, payment_request: bad },
      [
        'payment_request unknown',
        'payment_request.amount invalid_format',
        'payment_request.documents unstorable',
        'payment_request.period.ends ends_before_start',
        'payment_request.status invalid_value',
        'version too_small',
      ],
    ],
    [{ version: 1, offer: offerRecord(), send: true }, ['send not_sent']],
    [{ ...goodWith(null), offer: offerRecord() }, ['one_record']],
    [{ ...goodWith(null), version: 1e20 }, ['version too_big']],
    [goodWith([]), ['payment_request.payment invalid_type']],
    [goodJson.replace('"documents":[]', deep), ['payment_request.documents unstorable']],
    ['[]', ['invalid_type']],
    [`${secret}{`, ['malformed_json']],
    [goodWith({ Secret: 1234567890123456 }), ['payment_request.payment inexact']],
    [goodWith({ fifteenDigits: 1234567890123.45 }), []],
  ];
  const bodies = sent.map(([each]) =>
    typeof each === 'string' ? each : JSON.stringify({ workspace, ...each }),
  );
  expect(await failuresOf(by, messages(...bodies))).toEqual([]);
  expect((await takeAll('ImportDeadLetters')).sort()).toEqual(bodies.slice(0, -1).sort());
  for (const [index, [, faults]] of sent.entries()) {
    const message_id = `message-${index}`;
    const line = by.log
      .map((each) => JSON.parse(each))
      .find((each) => each.message_id === message_id);
    const logged: { member?: string; code: string }[] = line.faults ?? [];
    expect(logged.map(({ member = '', code }) => `${member} ${code}`.trim()).sort()).toEqual(
      faults,
    );
  }
  expectLine(by, {
    level: 'ERROR',
    message_id: 'message-0',
    request_id: 'message-0',
    workspace,
    payment_request: bad.id,
    error: expect.objectContaining({ message: 'The message cannot be consumed.' }),
  });
  // The sender that floods the queue is found by lines of every kind.
  const notJson = [{ code: 'malformed_json', count: 1 }];
  for (const line of [{ faults: notJson }, { level: 'ERROR', workspace }, { level: 'INFO' }]) {
    expectLine(by, { ...line, sender: 'AIDA' });
  }
  const { proxy, lambda: refused } = await proxied('import-record', 'sqs');
  proxy.inject({ operation: 'SendMessage', fault: errorResponse('AccessDenied') });
  expect(await failuresOf(refused, messages('{'))).toEqual(['message-0']);
  expectLine(refused, { message: 'dead letter', message_id: 'message-0', sender: 'AIDA' });
  expectLine(by, { level: 'INFO', workspace, payment_request: good.id });
  // A refusal is no failure, whose alarm says that messages come again.
  const hasFailed = ({ log }: typeof by) =>
    metricsIn(log).some(({ name }) => name === 'MessageFailed');
  expect([by, refused].map(hasFailed)).toEqual([false, true]);
  for (const value of [secret, good.worker, '1234567890123456']) {
    expect(by.log.join('\n')).not.toContain(value);
  }
});

test('the letter of a refused message names every place, and the log no name that a sender chose', async () => {
  const by = deployed('import-record');
  const record = requestRecord();
  const payment_request = { ...record, amount: '1', Secret: 1, 'Sec\u0000ret/2': 2 };
  const bodies = [
    JSON.stringify({ workspace, version: 1, Secret3: 1, payment_request }),
    JSON.stringify({ workspace, version: 1, payment_request: { ...record, payment: {} } }).replace(
      '{}',
      '{"Secret":[0.1,0.30000000000000004],"a":{"Secret":1,"Secret":2},"__proto__":1}',
    ),
    JSON.stringify({ Type: 'Notification', MessageId: 'x', TopicArn: 'arn', Message: '{}' }),
  ];
  expect(await failuresOf(by, messages(...bodies))).toEqual([]);
  const reasons = new Map(
    (await takeLetters()).map(({ body, attributes }) => [body, attributes?.error?.StringValue]),
  );
  const rule =
    'The number must have at most 15 significant digits, and be 0 or from 1E-130 to 9007199254740991 in magnitude.';
  const amount =
    'Must be digits without a leading zero, a point and two decimals, such as 1250.00 or 0.10.';
  const sns =
    'the message (sns_envelope): The message is an envelope of SNS. Enable raw message delivery for its subscription.';
  expect(bodies.map((body) => reasons.get(body)?.split(/(?<=\.) (?=\/)/))).toEqual([
    [
      `/payment_request/amount (invalid_format): ${amount}`,
      '/payment_request/Secret (unknown): Unknown field.',
      '/payment_request/Sec\\u0000ret~12 (unknown): Unknown field.',
      '/Secret3 (unknown): Unknown field.',
    ],
    [
      `/payment_request/payment/Secret/1 (inexact): ${rule}`,
      '/payment_request/payment/a/Secret (inexact): The member occurs twice.',
      '/payment_request/payment/__proto__ (inexact): The member cannot be stored.',
    ],
    [sns],
  ]);
  const inexact = { member: 'payment_request.payment', code: 'inexact', count: 1 };
  for (const faults of [
    [
      { member: 'payment_request.amount', code: 'invalid_format', count: 1 },
      { member: 'payment_request', code: 'unknown', count: 2 },
      { code: 'unknown', count: 1 },
    ],
    [inexact, inexact, inexact],
    [{ code: 'sns_envelope', count: 1 }],
  ]) {
    expectLine(by, { faults, more: 0 });
  }
  expect(by.log.join('\n')).not.toContain('Sec');
});

test("the log has a sender without its session, and a record's author has it", async () => {
  const by = deployed('import-record');
  const record = requestRecord();
  const sent = [JSON.stringify({ workspace, version: 1, payment_request: record }), '{'];
  const event = messages(...sent);
  for (const { attributes } of event.Records) attributes.SenderId = 'AROA1:jane@example.com';
  expect(await failuresOf(by, event)).toEqual([]);
  for (const level of ['INFO', 'ERROR']) expectLine(by, { level, sender: 'AROA1' });
  expect(by.log.join('\n')).not.toContain('jane');
  expect(await requestAt(record.id)).toMatchObject({
    author: { actor: 'sender:AROA1:jane@example.com' },
  });
  await takeLetters();
});

test.each([
  [0, []],
  [50, ['message_id']],
  [100, ['message_id', 'error']],
])(
  'a refused message with %i bytes less than SQS takes is a dead letter, with the attributes that fit',
  async (less, names) => {
    const body = 'é'.repeat((1_048_576 - less) / 2);
    expect(await failuresOf(lambda, messages(body))).toEqual([]);
    const [letter] = await takeLetters();
    expect(letter?.body).toBe(body);
    expect(Object.keys(letter?.attributes ?? {})).toEqual(names);
  },
);

describe('an event of a refusal', () => {
  /** A function with a bus of its own. */
  const start = async (service?: 'sqs' | 'dynamodb') => {
    const bus = await startBus();
    if (!service) return { bus, by: deployed('import-record', bus.environment) };
    const { lambda: by, proxy } = await proxied('import-record', service, bus.environment);
    return { bus, by, proxy };
  };
  const bodyOf = (fields: object, more: object = {}) =>
    JSON.stringify({ workspace, version: 7, payment_request: requestRecord(fields), ...more });
  const invalid = bodyOf({ id: 'ptr_1', amount: 'Secret', Secret: 1 });

  test('says which record, what is wrong and who sent it, without a value', async () => {
    const { bus, by } = await start();
    const event = messages(
      invalid,
      JSON.stringify({ workspace, version: 0, offer: { id: 'Secret' } }),
      bodyOf({ id: 'ptr_2', payment: { Secret: 0.1 + 0.2 } }),
      JSON.stringify({ workspace, payment_request: {}, offer: {}, send: 'Secret' }),
    );
    for (const { attributes } of event.Records) attributes.SenderId = 'AROA1:Secret';
    expect(await failuresOf(by, event)).toEqual([]);
    expect(await takeLetters()).toHaveLength(4);
    const [first, offer, inexact, both] = [0, 1, 2, 3].map((index) =>
      bus.events().find(({ request_id }) => request_id === `message-${index}`),
    );
    const { account } = tenant;
    expect(first).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{64}_refused$/),
      type: 'record.refused',
      version: 1,
      ...{ workspace, account, livemode: true, time: '2026-09-21T14:13:20.000Z' },
      ...{ request_id: 'message-0', actor: 'sender:AROA1' },
      data: {
        ...{ kind: 'payment_request', record: 'ptr_1', version: 7, more: 0 },
        faults: [
          {
            member: 'payment_request.amount',
            code: 'invalid_format',
            detail: expect.stringMatching(/^Must be digits/),
            count: 1,
          },
          { member: 'payment_request', code: 'unknown', detail: 'Unknown field.', count: 1 },
        ],
      },
    });
    expect(offer?.data).toMatchObject({ kind: 'offer' });
    expect(offer?.data).not.toHaveProperty('record');
    expect(offer?.data).not.toHaveProperty('version');
    expect(inexact?.data).toMatchObject({
      record: 'ptr_2',
      faults: [{ member: 'payment_request.payment', code: 'inexact', count: 1 }],
    });
    expect(both?.data).not.toHaveProperty('kind');
    const whole = { code: 'one_record', detail: expect.any(String), count: 1 };
    expect(both?.data).toMatchObject({ faults: expect.arrayContaining([whole]) });
    for (const { Source, DetailType } of bus.entries) {
      expect([Source, DetailType]).toEqual(['workforce-payments', 'record.refused']);
    }
    expect(JSON.stringify(bus.entries)).not.toContain('Secret');
  });

  test('has twenty faults, and how many more there are', async () => {
    const { bus, by } = await start();
    const codes = { id: 1, worker: 1, amount: 1, currency: 1, reference: '', note: 1, created: 1 };
    const more = {
      status: 1,
      period: { starts: 1, ends: 1, x: 1 },
      documents: 1,
      payment: 1,
      x: 1,
    };
    const offer = { id: 1, status: 1, recipient_email: 1, created: 1, x: 1 };
    const message = { version: 0, send: 1, offer, x: 1, y: 1 };
    expect(await failuresOf(by, messages(bodyOf({ ...codes, ...more }, message)))).toEqual([]);
    const [{ data } = {}] = bus.events();
    expect(data).toMatchObject({ more: expect.any(Number) });
    const { faults, more: left } = data as unknown as { faults: { count: number }[]; more: number };
    expect([faults.length, left > 0]).toEqual([20, true]);
    await takeLetters();
  });

  test('is of a refusal by what the table has, but of none that would reveal a foreign id', async () => {
    const { bus, by } = await start();
    const [mine, theirs] = [requestRecord(), requestRecord()];
    const other = (await newTenant()).workspace;
    const send = (version: number, payment_request: object, of = workspace) =>
      failuresOf(by, messages(JSON.stringify({ workspace: of, version, payment_request })));
    await send(1, mine);
    await send(1, theirs, other);
    for (const refused of [
      () => send(1, { ...mine, note: 'Secret' }),
      () => send(1, theirs),
      () => send(2, theirs),
    ]) {
      expect(await refused()).toEqual([]);
      expect(await takeLetters()).toHaveLength(1);
    }
    expect(bus.events().map(({ data }) => data)).toEqual([
      {
        ...{ kind: 'payment_request', record: mine.id, version: 1, more: 0 },
        faults: [expect.objectContaining({ code: 'version_reused', count: 1 })],
      },
    ]);
  });

  test.each([
    ['no JSON', '{'],
    ['an envelope of SNS', JSON.stringify({ Type: 'Notification', workspace })],
    ['no workspace', JSON.stringify({ version: 1 })],
    ['an unknown workspace', JSON.stringify({ workspace: 'wsp_unknown', version: 0 })],
    ['null', 'null'],
  ])('is not there for %s, which is a letter alone', async (_, body) => {
    const { bus, by } = await start();
    expect(await failuresOf(by, messages(body))).toEqual([]);
    expect(await takeLetters()).toHaveLength(1);
    expect(bus.calls).toEqual([]);
  });

  test('is repeated with the same bytes until there is a letter; a redrive of it is another message', async () => {
    const { bus, by, proxy } = await start('sqs');
    const first = messages(invalid);
    // A crash between the event and the letter looks the same: the message comes again.
    proxy?.inject({ operation: 'SendMessage', fault: errorResponse('AccessDenied') });
    expect(await failuresOf(by, first)).toEqual(['message-0']);
    expect(await takeLetters()).toEqual([]);
    proxy?.clear();
    expect(await failuresOf(by, first)).toEqual([]);
    const [letter] = await takeLetters();
    const again = messages(letter?.body ?? '');
    for (const record of again.Records) {
      record.messageId = 'redriven';
      Object.assign(record.attributes, { SentTimestamp: '1800000000000', SenderId: 'AROA2:x' });
    }
    expect(await failuresOf(by, again)).toEqual([]);
    expect(await takeLetters()).toMatchObject([
      { attributes: { message_id: { StringValue: 'redriven' } } },
    ]);
    const [one, same, other] = bus.events();
    expect(bus.entries[1]).toEqual(bus.entries[0]);
    expect(other).toEqual({
      ...same,
      id: expect.not.stringMatching(one?.id ?? ''),
      ...{ request_id: 'redriven', actor: 'sender:AROA2', time: '2027-01-15T08:00:00.000Z' },
    });
  });

  test('has another id where its message is refused for another reason', async () => {
    const { bus, by, proxy } = await start('sqs');
    const record = requestRecord();
    const send = (fields: object, version = 2) =>
      failuresOf(by, messages(bodyOf({ ...record, ...fields }, { version })));
    await send({}, 1);
    await approve(record.id);
    proxy?.inject({ operation: 'SendMessage', fault: errorResponse('AccessDenied') });
    expect(await send({ amount: '9.00' })).toEqual(['message-0']);
    proxy?.clear();
    await send({});
    expect(await send({ amount: '9.00' })).toEqual([]);
    expect(await takeLetters()).toHaveLength(1);
    const codes = bus.events().map(({ data }) => data);
    expect(codes).toMatchObject([
      { faults: [{ code: 'approved_otherwise' }] },
      { faults: [{ code: 'version_reused' }] },
    ]);
    expect(new Set(bus.events().map(({ id }) => id)).size).toBe(2);
  });

  test('which the bus does not accept lets its message come again, alone and without a letter', async () => {
    const { bus, by } = await start();
    const event = messages(invalid, bodyOf({}), '{');
    bus.accepts = false;
    expect(await failuresOf(by, event)).toEqual(['message-0']);
    expect((await takeLetters()).map(({ body }) => body)).toEqual(['{']);
    expectLine(by, { level: 'ERROR', message: 'dead letter', message_id: 'message-0' });
    bus.accepts = true;
    expect(await failuresOf(by, messages(invalid))).toEqual([]);
    expect(await takeLetters()).toHaveLength(1);
    expect(new Set(bus.events().map(({ id, time }) => id + time)).size).toBe(1);
  });

  test('whose workspace cannot be read lets its message come again', async () => {
    const { bus, by, proxy } = await start('dynamodb');
    proxy?.inject({ operation: 'GetItem', fault: errorResponse('AccessDenied') });
    expect(await failuresOf(by, messages(invalid))).toEqual(['message-0']);
    expect([bus.calls, await takeLetters()]).toEqual([[], []]);
    proxy?.clear();
    expect(await failuresOf(by, messages(invalid))).toEqual([]);
    expect([bus.calls, (await takeLetters()).length]).toEqual([[1], 1]);
  });
});
