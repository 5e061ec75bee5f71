import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathOf } from '../../functions/contract/operation.ts';
import { routes } from '../../functions/domain/routes.ts';
import { allowedMethods, methodsEverywhere } from '../../lib/openapi/methods.ts';
import { operationIds } from '../../lib/openapi/operations.ts';
import { atOnce, sendUntilTaken } from '../support/at-once.ts';
import { requireLive, requireLocal } from '../support/given-service.ts';
import { call } from '../support/http.ts';
import { keyedOperations, type PreparedRequest } from '../support/keyed-operations.ts';
import { service } from '../support/running-stack.ts';
import { anyToken, newSender, newTenant, newToken, type Tenant } from '../support/tenants.ts';

const endpoints = operationIds.map((operation) => ({
  ...routes[operation],
  url: pathOf(routes[operation], { id: 'any' }),
}));
/** The most that API Gateway takes is 10 MB. */
const hugeBody = 11 * 2 ** 20;
const tooLarge = 'It sends 11 MiB, which API Gateway may not read to the end.';
const mayUnpack = 'API Gateway may unpack bodies itself: lib/DEPLOY.md#check-the-first-deployment.';

describe.each(endpoints)('$method $path', ({ method, path, url, scope }) => {
  let tenant: Tenant;
  let valid: string;
  beforeAll(async () => {
    tenant = await newTenant();
    valid = await anyToken();
  });

  test('requires a token', async () => {
    const unknown = `wfp_live_${'x'.repeat(43)}`;
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer nonsense',
      `Basic ${valid}`,
      valid,
      `Bearer ${unknown}`,
      `Bearer ${valid}x`,
    ]) {
      const { status, body, headers } = await call(method, url, {
        ...(authorization !== undefined && { headers: { Authorization: authorization } }),
      });
      expect([status, body.code]).toEqual([401, 'unauthenticated']);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('requires its scope', async () => {
    const others = Object.values(routes).filter((route) => route.scope !== scope);
    for (const allowed of ['', others.map((route) => route.scope).join(' '), `${scope}x`]) {
      const token = await newToken(tenant, { allowed });
      const { status, body } = await call(method, url, { token });
      expect([status, body.code]).toEqual([403, 'insufficient_scope']);
      expect(body.detail).toContain(scope);
    }
    const token = await newToken(tenant, { allowed: scope });
    expect((await call(method, url, { token })).status).not.toBe(403);
  });

  test('refuses query parameters that it does not know', async () => {
    const { status, body } = await call(method, `${url}?debug=1`, {
      token: valid,
      ...(method === 'POST' && { body: {} }),
    });
    expect(status).toBe(400);
    expect(body.errors).toContainEqual(expect.objectContaining({ parameter: 'debug' }));
  });

  test('returns other methods with 405 and lists the allowed ones', async () => {
    const allowed = endpoints.filter((other) => other.url === url).map((other) => other.method);
    for (const wrong of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      if (allowed.includes(wrong as 'GET')) continue;
      const { status, body, headers } = await call(wrong, url, { token: valid });
      expect(status).toBe(405);
      expect(headers.get('allow')).toBe(allowed.sort().join(', '));
      if (body) expect(body.code).toBe('method_not_allowed');
    }
    for (const type of ['application/json', 'image/png']) {
      const sent = { raw: '\u0000<x>', headers: { 'Content-Type': type } };
      const { status, body, headers } = await call('PUT', url, sent);
      expect([status, body.code]).toEqual([405, 'method_not_allowed']);
      expect([allowedMethods(path), methodsEverywhere()]).toContain(headers.get('allow'));
    }
  });
});

/** Offers are sent again where no mail leaves AWS; sandboxes belong to live workspaces. */
const tenantFor = (name: string) => (name === 'create' ? newTenant() : newSender());

test('the requests of each POST are tested with a key', () => {
  const posts = Object.values(routes).filter(({ method }) => method === 'POST');
  const registered = new Set(keyedOperations.map(({ route }) => route));
  expect(registered, 'Add its requests to test/support/keyed-operations.ts.').toEqual(
    new Set(posts),
  );
});

const sendPrepared = ({ route, request, token }: PreparedRequest, key: string) =>
  sendUntilTaken(() =>
    call(route.method, pathOf(route, request), { token, key, body: request.body }),
  );

test.each(keyedOperations)(
  '$name 20 times at once with one key, of 255 characters, has one effect and one response',
  async ({ name, prepare, route, effectOf }) => {
    const prepared = await prepare(await tenantFor(name));
    const responses = await atOnce(20, () => sendPrepared(prepared, '~'.repeat(255)));
    const accepted = responses.filter(({ status }) => status === route.status);
    expect(accepted.length).toBeGreaterThan(0);
    for (const { text } of accepted) expect(text).toBe(accepted[0]?.text);
    for (const { status, body } of responses.filter((response) => !accepted.includes(response))) {
      expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
    }
    expect(await prepared.effects()).toEqual([effectOf(accepted[0]?.body)]);
  },
);

test.each(keyedOperations)(
  '$name with a key is done once: a repeat gets the first response, another request 422',
  async ({ name, prepare, route, effectOf }) => {
    const tenant = await tenantFor(name);
    const [one, other] = [await prepare(tenant), await prepare(tenant)];
    const first = await sendPrepared(one, 'key');
    const reused = await sendPrepared(other, 'key');
    expect(first.status).toBe(route.status);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused']);
    for (const key of ['key', '"key"']) {
      const { status, text, headers } = await sendPrepared(one, key);
      expect([status, text]).toEqual([route.status, first.text]);
      expect(headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await one.effects()).toEqual([effectOf(first.body)]);
    expect(await other.effects()).toEqual([]);
  },
);

test.each([
  ['of an endpoint', 200, 'GET', '/v1/sandboxes', {}],
  ['of an endpoint that refuses', 400, 'GET', '/v1/sandboxes?limit=0', {}],
  ['without a valid token', 401, 'GET', '/v1/sandboxes', { token: 'x' }],
  ['where nothing is', 404, 'GET', '/v2', {}],
  ['to another method', 405, 'DELETE', '/v1/sandboxes', {}],
  ['to too large a body', 413, 'POST', '/v1/sandboxes', { raw: ' '.repeat(hugeBody) }],
])(
  'a response %s (%i) has the headers against caches, plain HTTP and guessed media types',
  async (_, expected, method, url, fields) => {
    if (expected === 413) requireLocal(tooLarge);
    const token = await anyToken();
    const { status, headers } = await call(method, url, { token, ...fields });
    expect(status).toBe(expected);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  },
);

describe.each(endpoints.filter(({ method }) => method === 'POST'))('$method $path', ({ url }) => {
  let token: string;
  beforeAll(async () => {
    token = await anyToken();
  });

  test('refuses a body that is not declared as JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const { status, body } = await call('POST', url, {
        token,
        raw: '{}',
        headers: { 'Content-Type': type },
      });
      expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  test('refuses a body with a content coding, and names that', async () => {
    requireLocal(mayUnpack);
    for (const coding of ['gzip', 'X-GZIP', 'br', 'deflate', 'unknown', 'identity, gzip']) {
      for (const raw of ['{}', gzipSync('{}')]) {
        const headers = { 'Content-Encoding': coding };
        const { status, body } = await call('POST', url, { token, raw, headers });
        expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
        expect(body.detail).toBe(`Send the body without Content-Encoding: ${coding}.`);
      }
    }
  });

  test.each<Record<string, string>>([
    { 'Content-Encoding': 'identity' },
    { 'Content-Encoding': 'Identity, identity' },
    { 'Content-Encoding': '' },
    { 'Content-Type': 'application/json; charset=utf-8' },
    { 'Content-Type': 'Application/JSON' },
    { 'Content-Type': 'application/x+json' },
  ])('takes a body with %j', async (headers) => {
    if (headers['Content-Encoding'] !== undefined) requireLocal(mayUnpack);
    expect((await call('POST', url, { token, raw: '{}', headers })).status).not.toBe(415);
  });

  test.each([
    [{ name: 'a\ufffdb' }, '\ufffd'],
    [{ approver: '11111111-1111-4111-8111-111111111111', reason: 'a\ufffdb' }, '\ufffd'],
  ])('refuses bytes that are not UTF-8, as in %j', async (fields, wrong) => {
    // What API Gateway hands on has U+FFFD in their place.
    const [before = '', after = ''] = JSON.stringify(fields).split(wrong);
    for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xef, 0xbf, 0xbd]]) {
      const raw = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      const { status, body } = await call('POST', url, { token, raw });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    }
  });

  test('refuses text that is not JSON', async () => {
    for (const raw of ['{', '{"a":1,}', 'undefined', "{'a':1}"]) {
      const { status, body } = await call('POST', url, { token, raw });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors).toEqual([
        { pointer: '', code: 'malformed_json', detail: 'Must be JSON in UTF-8.' },
      ]);
    }
  });

  test('takes 64 KiB and not a byte more', async () => {
    const sized = (bytes: number) => `{}${' '.repeat(bytes - 2)}`;
    const over = await call('POST', url, { token, raw: sized(65_537) });
    expect([over.status, over.body.code]).toEqual([413, 'body_too_large']);
    expect((await call('POST', url, { token, raw: sized(65_536) })).status).not.toBe(413);
  });

  test('refuses an Idempotency-Key that is sent twice', async () => {
    requireLive(url, token);
    for (const key of [['one', 'two'], ['one', 'one'], 'one, one', '"one", "one"']) {
      const response = await request(`${service.url}${url}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': key },
      });
      expect(response.statusCode).toBe(400);
      expect(await response.body.json()).toHaveProperty(
        'errors',
        expect.arrayContaining([
          expect.objectContaining({ header: 'Idempotency-Key', code: 'invalid_idempotency_key' }),
        ]),
      );
    }
  });
});

test.each(['/', '/v1', '/v2/sandboxes', '/v1/offers/ofr_1/resend/again'])(
  'nothing is at %s',
  async (path) => {
    for (const token of [undefined, await anyToken()]) {
      const { status, body } = await call('GET', path, { token });
      expect([status, body.code]).toEqual([404, 'route_not_found']);
    }
  },
);

test('a token is refused as soon as it has expired, and not a minute later', async () => {
  const expires_at = new Date(Date.now() + 4000).toISOString();
  const token = await newToken(await newTenant(), { expires_at });
  const list = () => call('GET', '/v1/sandboxes', { token });
  // API Gateway caches the authorizer's response to this request for 60 seconds.
  await list();
  await expect.poll(list, { timeout: 55_000, interval: 500 }).toMatchObject({
    status: 401,
    body: { code: 'unauthenticated' },
  });
  expect((await list()).headers.get('www-authenticate')).toBe('Bearer');
});
