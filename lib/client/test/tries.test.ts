import { afterEach, describe, expect, test, vi } from 'vitest';
import { problemDetails, problems } from '../../../functions/domain/problem.ts';
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
  publicCodes,
  success,
  torn,
} from './given-responses.ts';

describe('the tries of a call', () => {
  test.each(publicCodes)('sends a request again that gets %s, or does not', async (code) => {
    const isRepeated = problems[code].status >= 500 || 'retryAfterS' in problems[code];
    const { client, requests } = clientOf([problem(code), success]);
    const call = client.resendOffer('ofr_1');
    await (isRepeated ? call : errorOf(call));
    expect(requests).toHaveLength(isRepeated ? 2 : 1);
  });

  test.each([
    ['lost', lost],
    ['torn', torn],
    ['an error of a gateway', page(502)],
    ['too many for a gateway', page(429)],
  ])('sends the request again with its key when the response is %s', async (_, response) => {
    const { client, keys } = clientOf([response, response, success]);
    expect(await client.resendOffer('ofr_1')).toEqual({ id: 'ofr_1' });
    expect(keys()).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
  });

  test('makes a key for each call, sends that of the caller, and none with a GET', async () => {
    const { client, keys } = clientOf([success]);
    await client.resendOffer('ofr_1');
    await client.resendOffer('ofr_1');
    await client.resendOffer('ofr_1', { key: 'mine' });
    expect(new Set(keys()).size).toBe(3);
    expect(keys()[2]).toBe('mine');
    const list = clientOf([json({ sandboxes: [] })]);
    await Array.fromAsync(list.client.sandboxes());
    expect(list.keys()).toEqual([null]);
  });

  test('a redirect ends the call at once', async () => {
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

  test('a wrong certificate ends the call at once and is named', async () => {
    const cause = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
    const { client, requests } = clientOf([
      () => Promise.reject(new TypeError('fetch failed', { cause })),
    ]);
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
      code: 'no_response',
      message: 'No complete response from api.example.com: CERT_HAS_EXPIRED.',
    });
    expect(requests).toHaveLength(1);
  });

  test('are reported one by one', async () => {
    const tries: Try[] = [];
    const replay = json(
      { id: 'ofr_1' },
      { headers: { 'Idempotent-Replayed': 'true', 'Request-Id': 'request-3' } },
    );
    const { client } = clientOf([lost, problem('unavailable', now), torn, replay], {
      onTry: (ended) => {
        tries.push(ended);
        throw new Error('Of the log.');
      },
    });
    await client.resendOffer('ofr_1', { key: 'mine' });
    const waitMs = expect.any(Number);
    expect(tries).toMatchObject([
      { attempt: 1, replayed: false, waitMs, error: { code: 'no_response', key: 'mine' } },
      { attempt: 2, status: 503, requestId: 'request-1', waitMs, error: { code: 'unavailable' } },
      {
        attempt: 3,
        status: 200,
        requestId: 'request-torn',
        waitMs,
        error: { code: 'no_response' },
      },
      { attempt: 4, status: 200, requestId: 'request-3', replayed: true },
    ]);
    expect(tries.at(-1)).not.toHaveProperty('waitMs', waitMs);
  });

  test.each<[string, GivenResponse]>([
    ['no Response', () => ({ status: 200 }) as Response],
    [
      'a body that is no stream',
      () => Object.defineProperty(new Response('{}'), 'body', { value: 1 }),
    ],
  ])('end at once when fetch returns %s, with the key', async (_, response) => {
    const { client, requests } = clientOf([response]);
    const error = await errorOf(client.resendOffer('ofr_1', { key: 'mine' }));
    const cause = expect.any(TypeError);
    expect(error).toMatchObject({ code: 'no_response', effect: 'unknown', key: 'mine', cause });
    expect(requests).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  test.each([
    ['seconds', { 'Retry-After': '3600' }],
    ['more seconds than a number has', { 'Retry-After': '9'.repeat(400) }],
    [
      'a date after the Date of the response',
      { Date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'Retry-After': 'Sun, 06 Nov 1994 09:49:37 GMT' },
    ],
  ])('in %s, longer than the time left, ends the call at once', async (_, headers) => {
    const { client, requests } = clientOf([problem('unavailable', headers), success]);
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({ code: 'unavailable' });
    expect(requests).toHaveLength(1);
  });

  test.each(['-5', '1e3', 'Sun, 06 Nov 1994 08:49:37 GMT'])(
    'that is %s counts as none',
    async (retryAfter) => {
      const { client, requests } = clientOf([
        problem('unavailable', { 'Retry-After': retryAfter }),
        success,
      ]);
      await client.resendOffer('ofr_1');
      expect(requests).toHaveLength(2);
    },
  );
});

test.each([
  ['at once', [], 'none'],
  ['after a lost response', [lost], 'unknown'],
])('a 412 %s shows the version of the record', async (_, before, effect) => {
  const { status, ...details } = problemDetails('version_mismatch', 'No.', 'r-1', { version: 8 });
  const headers = { 'Content-Type': 'application/problem+json' };
  const response = json({ status, ...details }, { status, headers });
  const { client } = clientOf([...before, response]);
  const call = client.approve('ptr_1', { approver: 'me' }, { version: 7 });
  expect(await errorOf(call)).toMatchObject({ code: 'version_mismatch', version: 8, effect });
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
