import { expect, onTestFinished, test } from 'vitest';
import { approvalOf, endOf, type Provider, payment, providerOf, startPayer } from './run-payer.ts';

/** Starts the payer beside a provider with these responses, after which it responds with 200. */
const start = async (responses: (number | Provider)[] = [], timeoutMs?: number) => {
  const { requests, provider } = providerOf(responses);
  const payer = await startPayer(provider, timeoutMs);
  onTestFinished(() => payer.stop());
  const consume = (...events: readonly object[]) => {
    payer.send(...events);
    return payer.consume();
  };
  return { ...payer, requests, consume, consumeAfter: payer.consume };
};

const hangs: Provider = () => {};

const open = (id: string | undefined) => approvalOf(id, 'pending');

test('pays each payment request once, also when its provider was down', async () => {
  const { consume, send, requests, letters } = await start([503, 503]);
  send(open('ptr_1'));
  for (const end of ['failed', 'failed', 'consumed']) expect(await consume()).toEqual([end]);
  const later = [open('ptr_1'), approvalOf('ptr_1', 'approved'), open('ptr_2')];
  expect(await consume(...later)).toEqual(['consumed', 'consumed', 'consumed']);
  expect(requests).toEqual([
    ...[503, 503, 200].map((status) => [status, 'ptr_1', payment]),
    [200, 'ptr_2', payment],
  ]);
  expect(await letters()).toEqual([]);
});

test('takes 2xx for paid, and nothing else', async () => {
  const paid = [200, 201, 202, 204];
  const unpaid = [300, 302, 304, 307, 400, 401, 402, 404, 409, 422, 425, 429, 500, 502, 503, 504];
  const statuses = [...paid, ...unpaid];
  const { consume, requests } = await start(
    statuses.flatMap((status) => (paid.includes(status) ? [status] : [status, 200])),
  );
  for (const status of statuses) {
    const [end] = await consume(open(`ptr_${status}`));
    expect([status, end]).toEqual([status, paid.includes(status) ? 'consumed' : 'failed']);
    // What failed comes again, and is paid.
    await consume();
  }
  const keys = requests.map((each) => (each as string[])[1]);
  expect(keys).toEqual(
    statuses.flatMap((status) => Array(paid.includes(status) ? 1 : 2).fill(`ptr_${status}`)),
  );
});

test('gives up a provider that hangs, and pays the other nine meanwhile', async () => {
  // On a machine that is busy, nine payments have taken longer than three seconds.
  const { consume, requests } = await start([hangs], 18_000);
  const ids = Array.from({ length: 10 }, (_, index) => `ptr_${index}`);
  const ends = await consume(...ids.map(open));
  expect(ends.toSorted()).toEqual([...Array(9).fill('consumed'), 'failed']);
  expect(await consume()).toEqual(['consumed']);
  expect(new Set(requests.map((each) => (each as string[])[1])).size).toBe(10);
  expect(requests).toHaveLength(11);
});

test('begins no payment that it has no time to record', async () => {
  const { consume, requests } = await start([], 9000);
  expect(await consume(open('ptr_1'))).toEqual(['failed']);
  expect(requests).toEqual([]);
});

test('pays by the same key when it died while the provider did not respond', async () => {
  const { lambda, send, consume, requests } = await start([hangs]);
  send(open('ptr_1'));
  const end = consume();
  await expect.poll(() => requests).toHaveLength(1);
  await lambda.killBusyInstances();
  expect(await end).toEqual(['failed']);
  expect(await consume()).toEqual(['consumed']);
  expect(requests).toEqual([0, 200].map((status) => [status, 'ptr_1', payment]));
});

test('does not pay again within ten years, nor does its successor', async () => {
  const { clock, lambda, consume, requests } = await start();
  expect(await consume(open('ptr_1'))).toEqual(['consumed']);
  clock.advance(9.9 * 365 * 86_400_000);
  await lambda.update({ name: 'Successor' });
  expect(await consume(open('ptr_1'))).toEqual(['consumed']);
  expect(requests).toHaveLength(1);
});

test('pays what was open, and puts what it cannot decide before a person, each time', async () => {
  const { consume, requests, letters } = await start();
  const doubts = new Map<ReturnType<typeof approvalOf | typeof endOf>, string>([
    [approvalOf('ptr_rejected', 'rejected'), 'It was rejected when it was approved.'],
    [approvalOf('ptr_paid', 'paid'), 'It was paid when it was approved.'],
    [approvalOf('ptr_cancelled', 'cancelled'), 'It was cancelled when it was approved.'],
    [approvalOf('ptr_unknown', 'unknown'), 'Its status was unknown when it was approved.'],
    [approvalOf('ptr_none'), 'Its status was undefined when it was approved.'],
    [approvalOf('ptr_test', 'pending', { livemode: false }), 'It is not live.'],
    [approvalOf('ptr_live', 'pending', { livemode: 'true' }), 'It is not live.'],
    [approvalOf('ptr_2', 'pending', { workspace: 'wsp_' }), 'It is of another workspace.'],
    [approvalOf('ptr_3', 'pending', { workspace: undefined }), 'It is of another workspace.'],
    [
      approvalOf('ptr_type', 'pending', { type: 'payment_request.changed' }),
      'It is neither an approval nor an end.',
    ],
    [approvalOf('ptr_version', 'pending', { version: 2 }), 'Its version is 2.'],
    [endOf('ptr_no_end'), 'Its end is undefined.'],
    // None of these may end what is paid below.
    [endOf('ptr_5', 'unknown'), 'Its end is unknown.'],
    [{ ...endOf('ptr_6', 'cancelled'), livemode: false }, 'It is not live.'],
    [{ ...endOf('ptr_7', 'cancelled'), workspace: 'wsp_3' }, 'It is of another workspace.'],
    [approvalOf('ptr_8', 'cancelled', { workspace: 'wsp_3' }), 'It is of another workspace.'],
  ]);
  const others = [
    approvalOf('ptr_draft', 'draft'),
    open('ptr_pending'),
    approvalOf('ptr_approved', 'approved'),
    ...['ptr_5', 'ptr_6', 'ptr_7', 'ptr_8'].map(open),
  ];
  for (let times = 0; times < 2; times++) {
    const ends = await consume(...doubts.keys(), ...others);
    expect(new Set(ends)).toEqual(new Set(['consumed']));
  }
  const paid = ['ptr_5', 'ptr_6', 'ptr_7', 'ptr_8', 'ptr_draft', 'ptr_pending'];
  expect(requests.sort()).toEqual(paid.map((id) => [200, id, payment]));
  const expected = [...doubts].map(([event, reason]) => ({
    id: event.data.payment_request.id,
    reason,
  }));
  const byId = (a: { id?: string | undefined }, b: { id?: string | undefined }) =>
    String(a.id).localeCompare(String(b.id));
  expect((await letters()).toSorted(byId)).toEqual([...expected, ...expected].sort(byId));
});

test('fails an event without an id, which is not ours, and pays the others', async () => {
  const { consume, requests } = await start();
  const ends = await consume(open(undefined), open('ptr_1'));
  expect(ends).toEqual(['failed', 'consumed']);
  expect(requests).toEqual([[200, 'ptr_1', payment]]);
});

test.each(['rejected', 'cancelled', 'paid'])(
  'does not pay what has been %s, in whatever order its messages come',
  async (status) => {
    const { consume, requests, letters, dynamodb } = await start();
    expect(await consume(endOf('ptr_1', status), endOf('ptr_2', status))).toHaveLength(2);
    expect(await consume(open('ptr_1'))).toEqual(['consumed']);
    // An approval of what had ended ends it too: an open one that comes later is an older one.
    dynamodb.inject({ operation: 'PutItem', fault: { kind: 'reset' } });
    expect(await consume(approvalOf('ptr_3', status))).toEqual(['failed']);
    dynamodb.clear();
    await consume();
    expect(await letters()).toHaveLength(1);
    expect(await consume(open('ptr_2'), open('ptr_3'))).toEqual(['consumed', 'consumed']);
    expect(await letters()).toHaveLength(1);
    expect(requests).toEqual([]);
  },
);

test('puts an end after a payment before a person, each time, unless it says that it was paid', async () => {
  const { consume, letters } = await start();
  await consume(open('ptr_1'), open('ptr_2'), open('ptr_3'));
  const ends = [endOf('ptr_1', 'cancelled'), endOf('ptr_2', 'rejected'), endOf('ptr_3', 'paid')];
  for (let times = 0; times < 2; times++) await consume(...ends);
  const reasons = [
    { id: 'ptr_1', reason: 'It was paid before it was cancelled.' },
    { id: 'ptr_2', reason: 'It was paid before it was rejected.' },
  ];
  const found = await letters();
  expect(found).toHaveLength(4);
  expect(found).toEqual(expect.arrayContaining(reasons));
});

test('puts an end after a payment that was tried before a person, and each redrive of it', async () => {
  const { consume, consumeAfter, send, letters, queues, queueName, deadLetters, requests } =
    await start([503]);
  expect(await consume(open('ptr_1'))).toEqual(['failed']);
  send(endOf('ptr_1', 'cancelled'));
  // The function has ended, and its message is still hidden.
  expect(await consumeAfter({ afterMs: 31_000 })).toEqual(['consumed']);
  expect(await letters()).toEqual([]);
  expect(await consume()).toEqual(['consumed']);
  const letter = { id: 'ptr_1', reason: 'It was cancelled after its payment was tried.' };
  expect(await letters()).toEqual([letter]);
  queues.move(deadLetters, queueName);
  expect(await consume()).toEqual(['consumed']);
  expect(await letters()).toEqual([letter]);
  expect(requests).toHaveLength(1);
});

test('lets an end come again while a payment is under way, and never deletes a record', async () => {
  let respond = () => {};
  const slow: Provider = (_, response) => {
    respond = () => void response.writeHead(503).end();
  };
  const { consume, send, requests, letters, dynamodb } = await start([slow]);
  send(open('ptr_1'));
  const paying = consume();
  await expect.poll(() => requests).toHaveLength(1);
  send(endOf('ptr_1', 'cancelled'));
  await expect
    .poll(() => dynamodb.seen.filter(({ operation }) => operation === 'PutItem'))
    .toHaveLength(2);
  respond();
  expect(await paying).toEqual(['failed', 'failed']);
  expect(dynamodb.seen.map(({ operation }) => operation)).toEqual(['PutItem', 'PutItem']);
  while ((await consume()).includes('failed'));
  // Paid or ended, whichever came first: a person must look.
  expect(await letters()).toHaveLength(1);
});

test.each(['reset', 'loseResponse'] as const)(
  'fails a message whose letter meets a %s, until it is sent',
  async (kind) => {
    const { consume, letters, sqs } = await start();
    sqs.inject({ operation: 'SendMessage', fault: { kind } });
    expect(await consume(approvalOf('ptr_1', 'paid'))).toEqual(['failed']);
    sqs.clear();
    expect(await consume()).toEqual(['consumed']);
    expect(await letters()).not.toEqual([]);
  },
);
