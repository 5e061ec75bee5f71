import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ProblemCode, problemDetails, problems } from '../../../functions/domain/problem.ts';
import { serverOf } from '../../../test/support/servers.ts';
import type { Sandbox, Try } from '../payments-client.ts';
import {
  clientOf,
  errorOf,
  type GivenResponse,
  json,
  lost,
  never,
  now,
  page,
  problem,
  success,
  torn,
} from './given-responses.ts';

const lostWith = (cause: Error) => () => Promise.reject(new TypeError('fetch failed', { cause }));
const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
const later = (headers: Record<string, string>) => [problem('unavailable', headers), success];
const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
const wrongProgram = { code: 'no_response', effect: 'unknown', cause: expect.any(TypeError) };

test.each<[string, number, GivenResponse[], error?: object]>([
  ...(Object.keys(problems) as ProblemCode[]).map(
    (code): [string, number, GivenResponse[], object?] =>
      problems[code].status >= 500 || 'retryAfterS' in problems[code]
        ? [code, 2, [problem(code), success]]
        : [code, 1, [problem(code), success], { code }],
  ),
  ['lost responses', 3, [lost, lost, success]],
  ['torn responses', 3, [torn, torn, success]],
  ['an error of a gateway', 2, [page(502), success]],
  ['too many for a gateway', 2, [page(429), success]],
  [
    'a wrong certificate',
    1,
    [lostWith(expired), success],
    { message: 'No complete response from api.example.com: CERT_HAS_EXPIRED.' },
  ],
  ['no Response', 1, [() => ({ status: 200 }) as Response], wrongProgram],
  [
    'a body that is no stream',
    1,
    [() => Object.defineProperty(new Response('{}'), 'body', { value: 1 })],
    wrongProgram,
  ],
  ['Retry-After of an hour', 1, later({ 'Retry-After': '3600' }), { code: 'unavailable' }],
  ['Retry-After of no number', 1, later({ 'Retry-After': '9'.repeat(400) }), { status: 503 }],
  [
    'Retry-After of an hour after its Date',
    1,
    later({ Date: date, 'Retry-After': date.replace('08', '09') }),
    { code: 'unavailable' },
  ],
  ...['-5', '1e3', date].map((value): [string, number, GivenResponse[]] => [
    `Retry-After of ${value}`,
    2,
    later({ 'Retry-After': value }),
  ]),
])('a call that gets %s sends %i requests, with its key', async (_, count, responses, error) => {
  const { client, keys } = clientOf(responses);
  const call = client.resendOffer('ofr_1', { key: 'mine' });
  if (error) expect(await errorOf(call)).toMatchObject({ key: 'mine', ...error });
  else expect(await call).toEqual({ id: 'ofr_1' });
  expect(keys()).toEqual(Array(count).fill('mine'));
});

test('a call makes one key for all its requests, and none with a GET', async () => {
  const { client, keys } = clientOf([lost, success]);
  await client.resendOffer('ofr_1');
  await client.resendOffer('ofr_1');
  const [first, again, other] = keys();
  expect([again, first === other]).toEqual([first, false]);
  const list = clientOf([json({ sandboxes: [] })]);
  await Array.fromAsync(list.client.sandboxes());
  expect(list.keys()).toEqual([null]);
});

test('a redirect ends a call at once', async () => {
  let requests = 0;
  const baseUrl = await serverOf((_, response) => {
    requests += 1;
    response.writeHead(301, { Location: '/elsewhere' }).end();
  });
  const { client } = clientOf([], { baseUrl, fetch });
  const error = await errorOf(client.resendOffer('ofr_1'));
  expect(error).toMatchObject({ code: 'no_response', status: 301, effect: 'unknown' });
  expect(requests).toBe(1);
});

test('tries are reported one by one', async () => {
  const tries: Try[] = [];
  const headers = { 'Idempotent-Replayed': 'true', 'Request-Id': 'request-3' };
  const replay = json({ id: 'ofr_1' }, { headers });
  const { client } = clientOf([lost, problem('unavailable', now), torn, replay], {
    onTry: (ended) => {
      tries.push(ended);
      throw new Error('Of the log.');
    },
  });
  await client.resendOffer('ofr_1', { key: 'mine' });
  const waitMs = expect.any(Number);
  const noResponse = { code: 'no_response', key: 'mine' };
  expect(tries).toMatchObject([
    { attempt: 1, replayed: false, waitMs, error: noResponse },
    { attempt: 2, status: 503, requestId: 'request-1', waitMs, error: { code: 'unavailable' } },
    { attempt: 3, status: 200, requestId: 'request-torn', waitMs, error: noResponse },
    { attempt: 4, status: 200, requestId: 'request-3', replayed: true },
  ]);
  expect(tries.at(-1)).not.toHaveProperty('waitMs', waitMs);
});

test.each([
  ['at once', [], 'none'],
  ['after a lost response', [lost], 'unknown'],
])('a 412 %s shows the version of the record, and so does its try', async (_, before, effect) => {
  const { status, ...details } = problemDetails('version_mismatch', 'No.', 'r-1', { version: 0 });
  const headers = { 'Content-Type': 'application/problem+json' };
  const response = json({ status, ...details }, { status, headers });
  const tries: Try[] = [];
  const { client } = clientOf([...before, response], { onTry: (ended) => tries.push(ended) });
  const call = client.approve('ptr_1', { approver: 'me' }, { version: 7 });
  const mismatch = { code: 'version_mismatch', version: 0, effect };
  expect(await errorOf(call)).toMatchObject(mismatch);
  expect(tries.at(-1)).toMatchObject({ error: mismatch });
});

describe('the time of a call', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test.each([
    ['never', never],
    [
      'with a body that never ends',
      () =>
        new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array([123])) }), {
          headers: { 'Content-Type': 'application/json', 'Request-Id': 'request-1' },
        }),
    ],
  ])('ends a call that gets %s, though fetch ignores its signal', async (_, response) => {
    const { client } = clientOf([response], { tryForS: 0.1 });
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
      code: 'no_response',
      message: 'No complete response from api.example.com: TimeoutError.',
      effect: 'unknown',
    });
  });

  test('is at most 30 seconds for one try', async () => {
    vi.useFakeTimers();
    const { client, requests } = clientOf([never, success]);
    const call = client.resendOffer('ofr_1');
    await vi.advanceTimersByTimeAsync(29_000);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await call).toEqual({ id: 'ofr_1' });
  });

  test('a back-off ends before the call, so that there is another try', async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { client, requests } = clientOf([problem('unavailable', now), success], { tryForS: 0.1 });
    const call = client.resendOffer('ofr_1');
    await vi.advanceTimersByTimeAsync(99);
    expect(await call).toEqual({ id: 'ofr_1' });
    expect(requests).toHaveLength(2);
  });

  test('the last response of the service is kept when the time ends with a lost one', async () => {
    vi.useFakeTimers();
    const { client } = clientOf([problem('unavailable', now), lost], { tryForS: 1 });
    const error = errorOf(client.resendOffer('ofr_1'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(await error).toMatchObject({
      code: 'unavailable',
      requestId: 'request-1',
      status: 503,
    });
  });

  test('a call that is aborted ends, and reports what may have happened', async () => {
    const stop = new AbortController();
    const { client, requests } = clientOf([never]);
    const call = client.resendOffer('ofr_1', { signal: stop.signal });
    await expect.poll(() => requests).toHaveLength(1);
    stop.abort(new Error('Enough.'));
    const error = await errorOf(call);
    expect(error).toMatchObject({ code: 'aborted', effect: 'unknown' });
    expect(error.cause).toMatchObject({ message: 'Enough.' });

    const again = client.resendOffer('ofr_1', { signal: stop.signal });
    expect(await errorOf(again)).toMatchObject({ code: 'aborted', effect: 'none' });
    const ofCaller = client.resendOffer('ofr_1', { signal: stop.signal, key: 'mine' });
    expect(await errorOf(ofCaller)).toMatchObject({ code: 'aborted', effect: 'unknown' });
    expect(requests).toHaveLength(1);
  });

  test('ends the wait for a sandbox that never becomes ready', async () => {
    const sandbox = { id: 'sbx_1', status: 'provisioning' } as Sandbox;
    const { client } = clientOf([json({ sandboxes: [] })], { tryForS: 0.1 });
    expect(await errorOf(client.waitUntilReady(sandbox))).toMatchObject({
      code: 'no_response',
      message: 'The sandbox sbx_1 is not ready after 0.1 s.',
      effect: 'none',
    });
    const stopped = client.waitUntilReady(sandbox, { signal: AbortSignal.abort(), tryForS: 9 });
    expect(await errorOf(stopped)).toMatchObject({ code: 'aborted', effect: 'none' });
  });
});
