import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ProblemCode, problems } from '../../functions/domain/problem.ts';
import type { Sandbox, Try } from '../../lib/client/payments-client.ts';
import { serverOf } from '../support/servers.ts';
import {
  clientOf,
  errorOf,
  type GivenAnswer,
  json,
  later,
  lost,
  never,
  now,
  page,
  problem,
  publicCodes,
  success,
  torn,
} from './given-answers.ts';

describe('the tries of a call', () => {
  test.each(publicCodes)('sends a request again that is answered %s, or does not', async (code) => {
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
    ['a gateway that got no request in time', page(408)],
    ['a gateway that does not take a request so early', page(425)],
    ['too many for a gateway', page(429)],
    ['too many for a gateway, in JSON', json({ code: 'slow_down' }, { status: 429 })],
  ])('sends the request again with its key when the answer is %s', async (_, answer) => {
    const { client, keys } = clientOf([answer, answer, success]);
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

  test('every request names the client', async () => {
    const { client, requests } = clientOf([success]);
    await client.resendOffer('ofr_1');
    expect(requests[0]?.headers.get('User-Agent')).toMatch(/^workforce-payments-client\/\d/);
  });

  test('a redirect ends the call at once', async () => {
    let requests = 0;
    const baseUrl = await serverOf((_, response) => {
      requests += 1;
      response.writeHead(301, { Location: '/elsewhere' }).end();
    });
    const { client } = clientOf([], { baseUrl, fetch });
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
      code: 'no_answer',
      status: 301,
      effect: 'unknown',
    });
    expect(requests).toBe(1);
  });

  test.each([
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND api.example.com'],
    ['CERT_HAS_EXPIRED', 'certificate has expired'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number'],
  ])('%s ends the call at once and is named', async (code, message) => {
    const cause = Object.assign(new Error(message), { code });
    const { client, requests } = clientOf([
      () => Promise.reject(new TypeError('fetch failed', { cause })),
    ]);
    const error = await errorOf(client.resendOffer('ofr_1'));
    expect(error).toMatchObject({ code: 'no_answer', message: expect.stringContaining(code) });
    expect(error.message).toContain('api.example.com');
    expect(requests).toHaveLength(1);
  });

  test('are reported one by one', async () => {
    const tries: Try[] = [];
    const replay = json(
      { id: 'ofr_1' },
      { headers: { 'Idempotent-Replayed': 'true', 'Request-Id': 'request-3' } },
    );
    const { client } = clientOf([lost, problem('unavailable', now), torn, replay], {
      onTry: (ended) => tries.push(ended),
    });
    await client.resendOffer('ofr_1', { key: 'mine' });
    expect(tries).toEqual([
      {
        attempt: 1,
        replayed: false,
        waitMs: expect.any(Number),
        error: expect.objectContaining({ code: 'no_answer', effect: 'unknown', key: 'mine' }),
      },
      {
        attempt: 2,
        status: 503,
        requestId: 'request-1',
        replayed: false,
        waitMs: expect.any(Number),
        error: expect.objectContaining({ code: 'unavailable', status: 503 }),
      },
      {
        attempt: 3,
        status: 200,
        requestId: 'request-torn',
        replayed: false,
        waitMs: expect.any(Number),
        error: expect.objectContaining({ code: 'no_answer', requestId: 'request-torn' }),
      },
      { attempt: 4, status: 200, requestId: 'request-3', replayed: true },
    ]);
  });

  test('the last try is not followed by a wait', async () => {
    const tries: Try[] = [];
    const { client } = clientOf([problem('offer_not_sent')], { onTry: (each) => tries.push(each) });
    const error = await errorOf(client.resendOffer('ofr_1'));
    expect(tries).toEqual([
      { attempt: 1, status: 409, requestId: 'request-1', replayed: false, error },
    ]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('Of the log.');
      },
    ],
    ['rejects', () => Promise.reject(new Error('Of the log.'))],
  ])('an onTry that %s changes nothing', async (_, onTry) => {
    const { client } = clientOf([lost, success], { onTry });
    expect(await client.resendOffer('ofr_1')).toEqual({ id: 'ofr_1' });
  });
});

describe('the effect that an error of the client reports', () => {
  const unknownAlways = [
    'idempotency_key_in_use',
    'idempotency_key_reused',
    'internal_error',
    'outcome_unknown',
  ];
  const aboutIntent = ['payment_request_not_found', 'offer_not_found', 'offer_not_sent'];

  test.each(publicCodes)(
    'of a single %s, with a new key and with one of the caller',
    async (code) => {
      const effects = [undefined, 'mine'].map(async (key) => {
        const { client } = clientOf([problem(code, later)]);
        return (await errorOf(client.resendOffer('ofr_1', { key }))).effect;
      });
      expect(await Promise.all(effects)).toEqual([
        unknownAlways.includes(code) ? 'unknown' : 'none',
        aboutIntent.includes(code) ? 'none' : 'unknown',
      ]);
    },
  );

  const others: Readonly<Record<string, GivenAnswer>> = {
    lost,
    torn,
    'page with 502': page(502),
    'page with 404': page(404),
    'JSON with 404': json({ code: 'offer_not_found' }, { status: 404 }),
  };

  test.each<['none' | 'unknown', string | undefined, string[]]>([
    // What no earlier try can have changed.
    ['none', undefined, ['unavailable', 'unauthenticated']],
    ['none', 'mine', ['unavailable', 'offer_not_sent']],
    // A try without an answer may have been done, whatever comes after it.
    ['unknown', undefined, ['lost', 'unauthenticated']],
    ['unknown', undefined, ['lost', 'insufficient_scope']],
    ['unknown', undefined, ['torn', 'rate_limited']],
    ['unknown', undefined, ['lost', 'unavailable']],
    ['unknown', undefined, ['lost', 'offer_not_sent']],
    ['unknown', undefined, ['internal_error', 'request_blocked']],
    ['unknown', undefined, ['page with 502', 'unauthenticated']],
    ['unknown', undefined, ['page with 404']],
    ['unknown', undefined, ['JSON with 404']],
    // A proxy has sent the request twice.
    ['unknown', undefined, ['idempotency_key_in_use', 'rate_limited']],
    ['unknown', undefined, ['idempotency_key_in_use', 'offer_not_sent']],
    // So may an earlier call with the key of the caller.
    ['unknown', 'mine', ['unavailable', 'invalid_request']],
    ['unknown', 'mine', ['lost', 'offer_not_sent']],
    ['unknown', 'mine', ['torn', 'offer_not_found']],
  ])('is %s with the key %s after %j', async (effect, key, names) => {
    const answers = names.map(
      (name, index) =>
        others[name] ?? problem(name as ProblemCode, index + 1 < names.length ? now : later),
    );
    const { client, keys } = clientOf(answers);
    const error = await errorOf(client.resendOffer('ofr_1', { key }));
    expect(error.effect).toBe(effect);
    expect(error.key).toBe(keys()[0]);
    expect(keys()).toHaveLength(answers.length);
  });

  test('of a list that cannot be read is none', async () => {
    const { client } = clientOf([lost, problem('unauthenticated')]);
    expect(await errorOf(Array.fromAsync(client.sandboxes()))).toMatchObject({
      code: 'unauthenticated',
      effect: 'none',
      key: undefined,
    });
  });
});

describe('Retry-After', () => {
  const inAnHour = new Date(Date.now() + 3_600_000);
  /** The two older forms, of a date. */
  const [day = '', date = '', month = '', year = '', time = ''] = inAnHour
    .toUTCString()
    .split(/,? /);
  const weekday = inAnHour.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  const asctime = `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`;

  test.each([
    ['seconds', { 'Retry-After': '3600' }],
    ['more milliseconds than a timer has', { 'Retry-After': '2147484' }],
    ['more seconds than a number has', { 'Retry-After': '9'.repeat(400) }],
    ['a date', { 'Retry-After': inAnHour.toUTCString() }],
    [
      'a date of RFC 850',
      { 'Retry-After': `${weekday}, ${date}-${month}-${year.slice(2)} ${time} GMT` },
    ],
    ['a date of asctime', { 'Retry-After': asctime }],
    [
      'a date after the Date of the answer',
      { Date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'Retry-After': 'Sun, 06 Nov 1994 09:49:37 GMT' },
    ],
    [
      'a date of asctime after the Date of the answer',
      { Date: 'Sun Nov  6 08:49:37 1994', 'Retry-After': 'Sunday, 06-Nov-94 09:49:37 GMT' },
    ],
  ])('in %s, longer than the time left, ends the call at once', async (_, headers) => {
    vi.stubEnv('TZ', 'Pacific/Kiritimati');
    const { client, requests } = clientOf([problem('unavailable', headers), success]);
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({ code: 'unavailable' });
    expect(requests).toHaveLength(1);
  });

  test.each([
    '-5',
    '1e3',
    '0x10',
    '9 soon',
    '2094-11-06T08:49:37Z',
    'Nov 6 2094',
    'Sun, 06 Nov 1994 08:49:37 GMT',
  ])('that is %s counts as none', async (retryAfter) => {
    const { client, requests } = clientOf([
      problem('unavailable', { 'Retry-After': retryAfter }),
      success,
    ]);
    await client.resendOffer('ofr_1', { tryForS: 5 });
    expect(requests).toHaveLength(2);
  });

  test.each([2_147_484, 2 ** 40])(
    'of %d s is waited for, if the call has the time',
    async (seconds) => {
      const stop = new AbortController();
      const { client, requests } = clientOf([
        problem('unavailable', { 'Retry-After': `${seconds}` }),
      ]);
      const call = client.resendOffer('ofr_1', { signal: stop.signal, tryForS: 2 ** 50 });
      await expect.poll(() => requests).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      stop.abort();
      expect(await errorOf(call)).toMatchObject({ code: 'aborted', requestId: 'request-1' });
      expect(requests).toHaveLength(1);
    },
  );
});

describe('the time of a call', () => {
  test.each([
    ['never', never],
    [
      'with a body that never ends',
      () =>
        new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array([123])) }), {
          headers: { 'Content-Type': 'application/json', 'Request-Id': 'request-1' },
        }),
    ],
  ])('ends a call that is answered %s, though fetch ignores its signal', async (_, answer) => {
    const { client } = clientOf([answer], { tryForS: 0.1 });
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
      code: 'no_answer',
      message: 'No complete answer from api.example.com: TimeoutError.',
      effect: 'unknown',
    });
  });

  test('may be less than that of the client', async () => {
    const { client } = clientOf([never], { tryForS: 3600 });
    const error = await errorOf(client.resendOffer('ofr_1', { tryForS: 0.05 }));
    expect(error.code).toBe('no_answer');
    const walk = Array.fromAsync(client.sandboxes({ tryForS: 0.05 }));
    expect(await errorOf(walk)).toMatchObject({ code: 'no_answer', effect: 'none' });
  });

  test('a program that was busy until the time was over is not warned of a timer', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const work = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    const answer = () => {
      setTimeout(work, 1);
      return problem('unavailable', now)();
    };
    const { client } = clientOf([answer], { tryForS: 0.2 });
    await errorOf(client.resendOffer('ofr_1'));
    await setImmediate();
    expect(warnings).toEqual([]);
  });

  test('is at most 30 seconds for one try', async () => {
    vi.useFakeTimers();
    const { client, requests } = clientOf([never, success]);
    const call = client.resendOffer('ofr_1');
    await vi.advanceTimersByTimeAsync(29_000);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await call).toEqual({ id: 'ofr_1' });
    vi.useRealTimers();
  });

  test('the signal of a try that is given up is aborted', async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const { client } = clientOf(
      [
        (init) => {
          signals.push(init?.signal);
          return never();
        },
      ],
      { tryForS: 0.05 },
    );
    await errorOf(client.resendOffer('ofr_1'));
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  test('a back-off ends before the call, so that there is another try', async () => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { client, requests } = clientOf([problem('unavailable', now), success], { tryForS: 0.1 });
    const call = client.resendOffer('ofr_1');
    await vi.advanceTimersByTimeAsync(99);
    expect(await call).toEqual({ id: 'ofr_1' });
    expect(requests).toHaveLength(2);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test.each([
    ['a lost answer', lost, 'unavailable'],
    ['an answer that never comes', never, 'unavailable'],
    ['a page of another server', page(502), 'unavailable'],
    ['a torn answer', torn, 'no_answer'],
  ])(
    'the last answer of the service is kept when the time ends with %s',
    async (_, answer, code) => {
      const { client } = clientOf([problem('unavailable', now), answer], { tryForS: 0.3 });
      expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
        code,
        requestId: answer === torn ? 'request-torn' : 'request-1',
        status: answer === torn ? 200 : 503,
        effect: 'unknown',
      });
    },
  );

  test('the last answer of the service is kept in a call that another error ends', async () => {
    const cause = Object.assign(new Error(), { code: 'ENOTFOUND' });
    const answers = [
      problem('unavailable', now),
      () => Promise.reject(new TypeError('', { cause })),
    ];
    expect(await errorOf(clientOf(answers).client.resendOffer('ofr_1'))).toMatchObject({
      code: 'no_answer',
      status: 503,
      requestId: 'request-1',
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

    const { signal } = stop;
    expect(await errorOf(client.resendOffer('ofr_1', { signal }))).toMatchObject({
      code: 'aborted',
      effect: 'none',
    });
    expect(await errorOf(client.resendOffer('ofr_1', { signal, key: 'mine' }))).toMatchObject({
      code: 'aborted',
      effect: 'unknown',
    });
    expect(requests).toHaveLength(1);
  });

  test('a call that is aborted while it waits sends nothing more', async () => {
    const stop = new AbortController();
    const { client, requests } = clientOf([
      problem('unavailable', { 'Retry-After': '60' }),
      success,
    ]);
    const call = client.resendOffer('ofr_1', { signal: stop.signal });
    await expect.poll(() => requests).toHaveLength(1);
    stop.abort();
    expect(await errorOf(call)).toMatchObject({
      code: 'aborted',
      status: 503,
      requestId: 'request-1',
      effect: 'none',
    });
    expect(requests).toHaveLength(1);
  });

  test('ends the wait for a sandbox that never becomes ready', async () => {
    const sandbox = { id: 'sbx_1', status: 'provisioning' } as Sandbox;
    const { client } = clientOf([json({ sandboxes: [] })], { tryForS: 0.1 });
    expect(await errorOf(client.waitUntilReady(sandbox))).toMatchObject({
      code: 'no_answer',
      message: 'The sandbox sbx_1 is not ready after 0.1 s.',
      effect: 'none',
    });
    const hanging = clientOf([json({ sandboxes: [] }), never]).client;
    const waiting = hanging.waitUntilReady(sandbox, { tryForS: 0.6 });
    expect(await errorOf(waiting)).toMatchObject({ code: 'no_answer', effect: 'none' });
    const stopped = client.waitUntilReady(sandbox, { signal: AbortSignal.abort(), tryForS: 9 });
    expect(await errorOf(stopped)).toMatchObject({ code: 'aborted', effect: 'none' });
  });
});
