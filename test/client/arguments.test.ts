import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Call, ClientOptions, Sandbox } from '../../lib/client/payments-client.ts';
import { clientOf, json, success } from './given-answers.ts';

const none = undefined as unknown as string;

test.each<[string, Partial<ClientOptions>, Call, RegExp]>([
  ['no baseUrl', { baseUrl: none }, {}, /^baseUrl /],
  ['no scheme', { baseUrl: 'api.example.com' }, {}, /^baseUrl /],
  ['a scheme that is a host', { baseUrl: 'localhost:3000' }, {}, /^baseUrl /],
  ['another scheme', { baseUrl: 'ftp://api.example.com' }, {}, /^baseUrl /],
  ['a password', { baseUrl: 'http://user:s3cret@api.example.com' }, {}, /^baseUrl /],
  ['a wrong port', { baseUrl: 'http://user:s3cret@127.0.0.1:99999' }, {}, /^baseUrl /],
  ['a user', { baseUrl: 'http://user@api.example.com' }, {}, /^baseUrl /],
  ['no host', { baseUrl: 'http://' }, {}, /^baseUrl /],
  ['a query', { baseUrl: 'https://api.example.com?region=eu' }, {}, /^baseUrl /],
  ['a fragment', { baseUrl: 'https://api.example.com/#' }, {}, /^baseUrl /],
  ['no token', { token: none }, {}, /^token /],
  ['an empty token', { token: ' \n' }, {}, /^token /],
  ['a token of two lines', { token: 's3cret\nlines' }, {}, /^token /],
  ['a token of other letters', { token: 's3cret-ключ' }, {}, /^token /],
  ['a fetch that is none', { fetch: 'fetch' as unknown as typeof fetch }, {}, /^fetch .*function/],
  ['no time', { tryForS: 0 }, {}, /^tryForS /],
  ['a time that is no number', { tryForS: Number.NaN }, {}, /^tryForS /],
  ['a negative time', { tryForS: -1 }, {}, /^tryForS /],
  ['no time for a call', {}, { tryForS: 0 }, /^tryForS /],
  ['a time for a call that is no number', {}, { tryForS: Number.NaN }, /^tryForS /],
  ['a key of other letters', {}, { key: 'ключ' }, /./],
])('%s is a TypeError that says so, before anything is sent', async (_, options, call, message) => {
  const { client, requests } = clientOf([success], options);
  const sandbox = { id: 'sbx_1', status: 'provisioning' } as Sandbox;
  const calls = [
    client.approve('ptr_1', { approver: 'me' }, call),
    client.createSandbox({ name: 'Mine' }, call),
    client.resendOffer('ofr_1', call),
    ...(call.key
      ? []
      : [Array.fromAsync(client.sandboxes(call)), client.waitUntilReady(sandbox, call)]),
  ];
  for (const each of calls) {
    const error = await each.catch((reason) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message);
    expect(inspect(error)).not.toContain('s3cret');
  }
  expect(requests).toEqual([]);
});

test.each([
  ['', ''],
  ['.', ''],
  ['..', ''],
  [none, ''],
  [null as unknown as string, ''],
  [7 as unknown as string, ''],
  ['\ud800', 'The id is not well-formed Unicode.'],
])('the id %j is a TypeError before anything is sent', async (id, message) => {
  const { client, requests } = clientOf([success]);
  const calls = [
    client.approve(id, { approver: 'me' }),
    client.resendOffer(id),
    client.waitUntilReady({ id, status: 'provisioning' } as Sandbox),
    ...(id === undefined ? [] : [{ after: id }, { before: id }]).map((walk) =>
      Array.fromAsync(client.sandboxes(walk)),
    ),
  ];
  for (const call of calls) {
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(message || /^The id must be /);
  }
  expect(requests).toEqual([]);
});

test.each(['...', 'a/b', '?', '#', '%2e%2e', ' ', 'ö'])(
  'the id %j stays one part of the path',
  async (id) => {
    const { client, requests } = clientOf([success]);
    await client.resendOffer(id);
    expect(requests.map(({ url }) => url.href)).toEqual([
      `https://api.example.com/v1/offers/${encodeURIComponent(id)}/resend`,
    ]);
  },
);

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['https://api.example.com/v1', 'https://api.example.com'],
  ['https://api.example.com/v1/', 'https://api.example.com'],
  ['https://api.example.com/prod/', 'https://api.example.com/prod'],
  ['https://api.example.com/prod/v1', 'https://api.example.com/prod'],
  ['https://api.example.com/@prod', 'https://api.example.com/@prod'],
  ['HTTP://[::1]:3000/v1//', 'http://[::1]:3000'],
])('the baseUrl %s is understood', async (baseUrl, address) => {
  const { client, requests } = clientOf([success], { baseUrl });
  await client.resendOffer('ofr_1');
  expect(requests.map(({ url }) => url.href)).toEqual([`${address}/v1/offers/ofr_1/resend`]);
});

test.each(['\nwfp_live_secret', 'wfp_live_secret\n'])(
  'white space around the token is not sent, as in a token from a file',
  async (token) => {
    const { client, requests } = clientOf([success], { token });
    await client.resendOffer('ofr_1');
    expect(requests[0]?.headers.get('Authorization')).toBe('Bearer wfp_live_secret');
  },
);

test('a time without an end is one', async () => {
  const { client } = clientOf([success], { tryForS: Number.POSITIVE_INFINITY });
  expect(await client.resendOffer('ofr_1')).toEqual({ id: 'ofr_1' });
});

test('a port that fetch blocks is a TypeError at once', async () => {
  const { client } = clientOf([], { baseUrl: 'http://127.0.0.1:6000', fetch });
  await expect(client.resendOffer('ofr_1')).rejects.toThrow(
    new TypeError('fetch blocks the port of baseUrl.'),
  );
});

describe('a host that does not exist', () => {
  test('ends the call at once, with its name', async () => {
    const { client } = clientOf([], { baseUrl: 'http://no-such-host.invalid', fetch });
    await expect(client.resendOffer('ofr_1', { tryForS: 3600 })).rejects.toThrow(
      'No complete answer from no-such-host.invalid: ENOTFOUND.',
    );
  });
});

test('a walk without an id begins at the newest sandbox', async () => {
  const { client, requests } = clientOf([json({ sandboxes: [] })]);
  await Array.fromAsync(client.sandboxes({ after: undefined, before: undefined }));
  expect(requests.map(({ url }) => url.search)).toEqual(['?limit=100']);
});
