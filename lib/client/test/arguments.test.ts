import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { Call, ClientOptions, Sandbox } from '../payments-client.ts';
import { clientOf, json, success } from './given-answers.ts';

test.each<[string, Partial<ClientOptions>, Call, RegExp]>([
  ['a password', { baseUrl: 'http://user:s3cret@api.example.com' }, {}, /^baseUrl /],
  ['a token of two lines', { token: 's3cret\nlines' }, {}, /^token /],
  ['a fetch that is none', { fetch: 'fetch' as unknown as typeof fetch }, {}, /^fetch .*function/],
  ['no time', { tryForS: 0 }, {}, /^tryForS /],
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

test.each(['..', '\ud800'])('the id %j is a TypeError before anything is sent', async (id) => {
  const { client, requests } = clientOf([success]);
  const calls = [
    client.approve(id, { approver: 'me' }),
    client.resendOffer(id),
    client.waitUntilReady({ id, status: 'provisioning' } as Sandbox),
    Array.fromAsync(client.sandboxes({ after: id })),
    Array.fromAsync(client.sandboxes({ before: id })),
  ];
  for (const call of calls) await expect(call).rejects.toThrow(TypeError);
  expect(requests).toEqual([]);
});

test('an id stays one part of the path', async () => {
  const { client, requests } = clientOf([success]);
  await client.resendOffer('a/b?#');
  expect(requests.map(({ url }) => url.pathname)).toEqual(['/v1/offers/a%2Fb%3F%23/resend']);
});

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/prod/v1/', 'https://api.example.com/prod'],
])('the baseUrl %s is understood', async (baseUrl, address) => {
  const { client, requests } = clientOf([success], { baseUrl });
  await client.resendOffer('ofr_1');
  expect(requests.map(({ url }) => url.href)).toEqual([`${address}/v1/offers/ofr_1/resend`]);
});

test('white space around the token is not sent, as in a token from a file', async () => {
  const { client, requests } = clientOf([success], { token: 'wfp_live_secret\n' });
  await client.resendOffer('ofr_1');
  expect(requests[0]?.headers.get('Authorization')).toBe('Bearer wfp_live_secret');
});

test('a port that fetch blocks is a TypeError at once', async () => {
  const { client } = clientOf([], { baseUrl: 'http://127.0.0.1:6000', fetch });
  await expect(client.resendOffer('ofr_1')).rejects.toThrow(
    new TypeError('fetch blocks the port of baseUrl.'),
  );
});

test('a walk without an id begins at the newest sandbox', async () => {
  const { client, requests } = clientOf([json({ sandboxes: [] })]);
  await Array.fromAsync(client.sandboxes({ after: undefined, before: undefined }));
  expect(requests.map(({ url }) => url.search)).toEqual(['?limit=100']);
});
