import { inspect } from 'node:util';
import { beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  type ProblemCode,
  problemDetails,
  problemHeaders,
  problems,
} from '../../functions/domain/problem.ts';
import {
  type ClientOptions,
  type PaymentsClient,
  PaymentsError,
  paymentsClient,
  type Sandbox,
} from '../../lib/client/payments-client.ts';
import { stack } from '../support/running-stack.ts';
import { serverOf } from '../support/servers.ts';
import {
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  type Tenant,
} from '../support/tenants.ts';

/** What a call ends with that has no success. */
const errorOf = async (call: Promise<unknown>): Promise<PaymentsError> => {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(PaymentsError);
  return error;
};

describe('a client', () => {
  let tenant: Tenant;
  let client: PaymentsClient;
  beforeAll(async () => {
    tenant = await newTenant();
    client = paymentsClient({ baseUrl: `${stack.url}/`, token: tenant.token });
  });

  test('approves a payment request, once for a key', async () => {
    const { id } = await newPaymentRequest(tenant.workspace);
    const approve = (key?: string) => client.approve(id, { approver: tenant.manager }, { key });
    const first = await approve('key-1');
    expect(await approve('key-1')).toEqual(first);
    expect((await approve()).approvals).toHaveLength(2);
    expect((await approve()).approvals).toHaveLength(3);
    expectTypeOf(first.status).toEqualTypeOf<
      'draft' | 'pending' | 'approved' | 'rejected' | 'paid' | 'cancelled'
    >();
  });

  test('creates a sandbox and waits until it is ready', async () => {
    const sandbox = await client.createSandbox({ name: 'Of a client' });
    const ready = await client.waitUntilReady(sandbox);
    expect(ready).toMatchObject({ id: sandbox.id, status: 'ready' });
    expect(await client.waitUntilReady(ready)).toBe(ready);
  });

  test('sends an offer again', async () => {
    const { id } = await newOffer(tenant.workspace);
    expect((await client.resendOffer(id)).delivery.attempts).toBe(1);
  });

  test('reports a problem with its code, its request and every fault', async () => {
    const { id } = await newOffer(tenant.workspace, { status: 'draft' });
    expect(await errorOf(client.resendOffer(id, { key: 'mine' }))).toMatchObject({
      code: 'offer_not_sent',
      status: 409,
      message: expect.stringMatching(/^offer_not_sent: .*draft/),
      requestId: expect.any(String),
      errors: [],
      key: 'mine',
      effect: 'none',
    });
    const { errors } = await errorOf(client.createSandbox({ name: '' }));
    expect(errors).toMatchObject([{ pointer: '/name', code: 'too_short' }]);
    expectTypeOf<'offer_not_sent'>().toExtend<PaymentsError['code']>();
    expectTypeOf<'offer_not_draft'>().not.toExtend<PaymentsError['code']>();
  });

  test('walks the list from the newest, after a sandbox and before one, page by page', async () => {
    const { workspace, token } = await newTenant();
    const ids = (await newSandboxes(workspace, 7)).map(({ id }) => id);
    const pages: URL[] = [];
    const inPages: typeof fetch = (input, init) => {
      const url = new URL(`${input}`);
      url.searchParams.set('limit', '2');
      pages.push(url);
      return fetch(url, init);
    };
    const walker = paymentsClient({ baseUrl: stack.url, token, fetch: inPages });
    const idsOf = async (walk?: Parameters<PaymentsClient['sandboxes']>[0]) =>
      (await Array.fromAsync(walker.sandboxes(walk))).map(({ id }) => id);

    expect(await idsOf()).toEqual(ids.toReversed());
    expect(pages).toHaveLength(4);
    expect(pages.filter(({ searchParams }) => searchParams.has('cursor'))).toEqual([]);
    expect(await idsOf({ after: ids[5] })).toEqual(ids.slice(0, 5).reverse());
    expect(await idsOf({ before: ids[1] })).toEqual(ids.slice(2));
    expect(await errorOf(idsOf({ after: ids[0], before: ids[1] }))).toMatchObject({
      code: 'conflicting_parameters',
      effect: 'none',
    });
  });
});

/** A client of these answers, the last of which is given again, and the requests that it sends. */
const clientOf = (
  answers: readonly ((init?: RequestInit) => Response | Promise<Response>)[],
  options: Partial<ClientOptions> = {},
) => {
  const keys: (string | null)[] = [];
  const client = paymentsClient({
    baseUrl: 'https://api.example.com',
    token: 'token',
    fetch: async (_, init) => {
      const answer = answers[keys.length] ?? answers.at(-1);
      keys.push(new Headers(init?.headers).get('Idempotency-Key'));
      if (!answer) throw new Error('There is no answer.');
      return answer(init);
    },
    ...options,
  });
  return { client, keys };
};

const problem = (code: ProblemCode, retryAfter?: string) => () =>
  new Response(JSON.stringify(problemDetails(code, 'Said by a test.', 'request-1')), {
    status: problems[code].status,
    headers: { ...problemHeaders(code), ...(retryAfter && { 'Retry-After': retryAfter }) },
  });
const success = () => Response.json({ id: 'ofr_1' });
const page = (status: number) => () =>
  new Response('<html>', { status, headers: { 'Content-Type': 'text/html' } });
const lost = () => Promise.reject(new TypeError('fetch failed'));
const torn = () =>
  new Response('{"id":', { status: 200, headers: { 'Content-Type': 'application/json' } });
const never = (init?: RequestInit) =>
  new Promise<Response>((_, reject) => {
    const { signal } = init ?? {};
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

const later = '3600';
const publicCodes = (Object.keys(problems) as ProblemCode[]).filter(
  (code) => code !== 'offer_not_draft',
);

test.each(publicCodes)('sends a request again that is answered %s, or does not', async (code) => {
  const isRepeated = problems[code].status >= 500 || 'retryAfterS' in problems[code];
  const { client, keys } = clientOf([problem(code), success]);
  const call = client.resendOffer('ofr_1');
  await (isRepeated ? call : errorOf(call));
  expect(keys).toHaveLength(isRepeated ? 2 : 1);
});

test.each([
  ['lost', lost],
  ['torn', torn],
  ['an error of a gateway', page(502)],
  [
    'too many for a gateway',
    () => new Response('', { status: 429, headers: { 'Retry-After': '0' } }),
  ],
])('sends the request again with its key when the answer is %s', async (_, answer) => {
  const { client, keys } = clientOf([answer, answer, success]);
  expect(await client.resendOffer('ofr_1')).toEqual({ id: 'ofr_1' });
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test.each([
  ['seconds', () => later],
  ['a date', () => new Date(Date.now() + 3_600_000).toUTCString()],
])('ends at once when Retry-After, in %s, is longer than the time left', async (_, retryAfter) => {
  const { client, keys } = clientOf([problem('unavailable', retryAfter()), success]);
  expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({ code: 'unavailable' });
  expect(keys).toHaveLength(1);
});

test.each(['-5', 'soon', 'Sun, 06 Nov 1994 08:49:37 GMT'])(
  'waits as without Retry-After when that is %s',
  async (retryAfter) => {
    const { client, keys } = clientOf([problem('unavailable', retryAfter)], { tryForS: 0.1 });
    vi.spyOn(Math, 'random').mockReturnValue(1);
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({ code: 'unavailable' });
    expect(keys).toHaveLength(1);
    vi.restoreAllMocks();
  },
);

test('makes a key for each call, sends that of the caller, and none with a GET', async () => {
  const { client, keys } = clientOf([success]);
  await client.resendOffer('ofr_1');
  await client.resendOffer('ofr_1');
  await client.resendOffer('ofr_1', { key: 'mine' });
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe('mine');
  const list = clientOf([() => Response.json({ sandboxes: [] })]);
  await Array.fromAsync(list.client.sandboxes());
  expect(list.keys).toEqual([null]);
});

test.each([
  // What no earlier try can have changed.
  ['none', undefined, [problem('offer_not_sent')]],
  ['none', undefined, [problem('rate_limited', later)]],
  ['none', undefined, [problem('unavailable', '0'), problem('unauthenticated')]],
  ['none', undefined, [problem('unauthenticated')]],
  // A try without an answer may have been done, whatever comes after it.
  ['unknown', undefined, [lost, problem('unauthenticated')]],
  ['unknown', undefined, [lost, problem('insufficient_scope')]],
  ['unknown', undefined, [torn, problem('rate_limited', later)]],
  ['unknown', undefined, [lost, problem('unavailable', later)]],
  ['unknown', undefined, [lost, problem('offer_not_sent')]],
  ['unknown', undefined, [problem('internal_error'), problem('request_blocked')]],
  ['unknown', undefined, [problem('outcome_unknown', later)]],
  ['unknown', undefined, [page(502), problem('unauthenticated')]],
  ['unknown', undefined, [page(404)]],
  ['unknown', undefined, [() => Response.json({ code: 'timeout' }, { status: 408 })]],
  // So may an earlier call with the caller's key, unless the service has looked at the request.
  ['unknown', 'mine', [problem('unauthenticated')]],
  ['unknown', 'mine', [problem('rate_limited', later)]],
  ['unknown', 'mine', [problem('unavailable', later)]],
  ['unknown', 'mine', [problem('idempotency_key_in_use', later)]],
  ['unknown', 'mine', [problem('idempotency_key_reused')]],
  ['none', 'mine', [problem('offer_not_sent')]],
  ['none', 'mine', [problem('unavailable', '0'), problem('invalid_request')]],
  ['unknown', 'mine', [lost, problem('offer_not_sent')]],
] as const)('the effect is %s with the key %s after %#', async (effect, key, answers) => {
  const { client, keys } = clientOf(answers);
  const error = await errorOf(client.resendOffer('ofr_1', { key }));
  expect(error.effect).toBe(effect);
  expect(error.key).toBe(keys[0]);
  expect(keys).toHaveLength(answers.length);
});

test('a list that cannot be read had no effect', async () => {
  const { client } = clientOf([lost, problem('unauthenticated')]);
  expect(await errorOf(Array.fromAsync(client.sandboxes()))).toMatchObject({
    code: 'unauthenticated',
    effect: 'none',
    key: undefined,
  });
});

test.each([
  [page(404), 'The service has not given this answer: 404 <html>'],
  [() => Response.json({ message: 'Forbidden' }, { status: 403 }), '403 {"message":"Forbidden"}'],
  [page(200), 'The service has not given this answer: 200 <html>'],
])('an answer of another server ends the call at once', async (answer, message) => {
  const { client, keys } = clientOf([answer]);
  const error = await errorOf(client.resendOffer('ofr_1'));
  expect(error).toMatchObject({ code: 'no_answer', message: expect.stringContaining(message) });
  expect(keys).toHaveLength(1);
});

test('a redirect ends the call at once', async () => {
  let requests = 0;
  const baseUrl = await serverOf((_, response) => {
    requests += 1;
    response.writeHead(301, { Location: '/elsewhere' }).end();
  });
  const client = paymentsClient({ baseUrl, token: 'token', tryForS: 1 });
  expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
    code: 'no_answer',
    status: 301,
    effect: 'unknown',
  });
  expect(requests).toBe(1);
});

describe('time', () => {
  test('does not wait for ever until a sandbox is ready', async () => {
    const { client } = clientOf([() => Response.json({ sandboxes: [] })], { tryForS: 0.1 });
    const sandbox = { id: 'sbx_1', status: 'provisioning' } as Sandbox;
    expect(await errorOf(client.waitUntilReady(sandbox))).toMatchObject({
      code: 'no_answer',
      message: 'The sandbox sbx_1 is not ready after 0.1 s.',
      effect: 'none',
    });
  });

  test('a try has 30 seconds, and a call ends after tryForS', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    await clientOf([success]).client.resendOffer('ofr_1');
    expect(timeout).toHaveBeenLastCalledWith(30_000);
    const { client } = clientOf([never], { tryForS: 0.2 });
    const error = await errorOf(client.resendOffer('ofr_1'));
    expect(error).toMatchObject({ code: 'no_answer', effect: 'unknown' });
    expect(timeout.mock.lastCall?.[0]).toBeLessThanOrEqual(200);
    timeout.mockRestore();
  });

  test('a call that is aborted ends, and reports what may have happened', async () => {
    const stop = new AbortController();
    const { client, keys } = clientOf([never]);
    const call = client.resendOffer('ofr_1', { signal: stop.signal });
    await expect.poll(() => keys).toHaveLength(1);
    stop.abort(new Error('Enough.'));
    const error = await errorOf(call);
    expect(error).toMatchObject({ code: 'no_answer', effect: 'unknown' });
    expect(error.cause).toMatchObject({ message: 'Enough.' });

    const { signal } = stop;
    expect(await errorOf(client.resendOffer('ofr_1', { signal }))).toMatchObject({
      effect: 'none',
    });
    expect(await errorOf(client.resendOffer('ofr_1', { signal, key: 'mine' }))).toMatchObject({
      effect: 'unknown',
    });
    expect(keys).toHaveLength(1);
  });

  test('a call that is aborted while it waits sends nothing more', async () => {
    const stop = new AbortController();
    const { client, keys } = clientOf([problem('unavailable', '60'), success]);
    const call = client.resendOffer('ofr_1', { signal: stop.signal });
    await expect.poll(() => keys).toHaveLength(1);
    stop.abort();
    expect(await errorOf(call)).toMatchObject({ effect: 'none' });
    expect(keys).toHaveLength(1);
  });
});

test.each([
  [{ baseUrl: 'api.example.com' }, {}],
  [{ baseUrl: 'localhost:3000' }, {}],
  [{ baseUrl: 'http://user:s3cret@api.example.com' }, {}],
  [{ baseUrl: 'http://user@api.example.com' }, {}],
  [{ baseUrl: 'http://' }, {}],
  [{ baseUrl: 'https://api.example.com?region=eu' }, {}],
  [{ baseUrl: 'https://api.example.com/#' }, {}],
  [{ token: 'two\nlines' }, {}],
  [{}, { key: 'ключ' }],
])(
  'a wrong address, token or key is a TypeError before anything is sent',
  async (options, call) => {
    const { client, keys } = clientOf([success], options);
    await expect(client.resendOffer('ofr_1', call)).rejects.toThrow(TypeError);
    expect(keys).toEqual([]);
  },
);

test('white space around the token is not sent, as in a token from a file', async () => {
  const sent: (string | null)[] = [];
  const answer = (init?: RequestInit) => {
    sent.push(new Headers(init?.headers).get('Authorization'));
    return success();
  };
  for (const token of ['\nwfp_live_secret', 'wfp_live_secret\n']) {
    await clientOf([answer], { token }).client.resendOffer('ofr_1');
  }
  expect(sent).toEqual(['Bearer wfp_live_secret', 'Bearer wfp_live_secret']);
});

test('the error of a wrong token does not show it', async () => {
  const { client } = clientOf([success], { token: 'wfp_live_secret\ntwo' });
  await expect(client.resendOffer('ofr_1')).rejects.toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('secret') }),
  );
});

test.each([
  'http://user:s3cret@127.0.0.1:3900',
  'http://user:s3cret@127.0.0.1:99999',
  'ftp://user:s3cret@127.0.0.1',
])('the error of the wrong address %s does not show its password', async (baseUrl) => {
  const { client } = clientOf([success], { baseUrl });
  const error = await client.resendOffer('ofr_1').catch((reason) => reason);
  expect(error).toBeInstanceOf(TypeError);
  expect(inspect(error)).toMatch(/^TypeError: baseUrl must be /);
  expect(inspect(error)).not.toContain('s3cret');
});

test('a port that fetch blocks is a TypeError at once', async () => {
  const client = paymentsClient({ baseUrl: 'http://127.0.0.1:6000', token: 'token', tryForS: 1 });
  await expect(client.resendOffer('ofr_1')).rejects.toThrow(
    new TypeError('fetch blocks the port of baseUrl.'),
  );
});

test('an id that no address can hold is a TypeError that names it', async () => {
  const { client, keys } = clientOf([success]);
  const calls = [client.resendOffer('\ud800'), client.approve('\ud800', { approver: 'me' })];
  const reason = new TypeError('The id is not well-formed Unicode.');
  for (const call of calls) await expect(call).rejects.toThrow(reason);
  expect(keys).toEqual([]);
});
