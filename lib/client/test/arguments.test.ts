import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { type Call, type ClientOptions, paymentsClient, type Sandbox } from '../payments-client.ts';
import { clientOf, json, success } from './given-responses.ts';

const wrongOfClient = {
  baseUrl: ['http://user:s3cret@api.example.com', undefined, 7],
  token: ['s3cret\nlines', 'bearer s3cret', undefined, {}],
  fetch: ['fetch', null],
  tryForS: [0, null, '5'],
  onTry: [{}, null],
  baseURL: ['https://api.example.com'],
};
const wrongOfCall = {
  tryForS: [Number.NaN, -1, null, '5'],
  signal: [{}, null, 'signal', new AbortController()],
  key: ['ключ', '', ' ', null, {}, Number.NaN, 'x'.repeat(256)],
  idempotencyKey: ['mine'],
  version: ['7', -1, 1.5, [], null, [7, '8']],
};
const each = (wrong: Record<string, unknown[]>) =>
  Object.entries(wrong).flatMap(([name, values]) => values.map((value) => ({ name, value })));

test.each([
  ...each(wrongOfClient).map(({ name, value }) => ({ name, options: { [name]: value }, call: {} })),
  ...each(wrongOfCall).map(({ name, value }) => ({ name, options: {}, call: { [name]: value } })),
  ...[null, 'mine', 1, []].map((call) => ({ name: 'The options', options: {}, call })),
])(
  '$name of $options or $call is a TypeError that says so, before anything is sent',
  async (wrong) => {
    const { client, requests } = clientOf([success], wrong.options);
    const call = wrong.call as Call;
    const sandbox = { id: 'sbx_1', status: 'provisioning' } as Sandbox;
    const calls = [
      client.approve('ptr_1', { approver: 'me' }, call),
      client.createSandbox({ name: 'Mine' }, call),
      client.resendOffer('ofr_1', call),
      client.waitUntilReady(sandbox, call),
      Array.fromAsync(client.sandboxes(call)),
    ];
    for (const ended of await Promise.allSettled(calls)) {
      const { reason } = ended as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(TypeError);
      expect(reason.message).toMatch(new RegExp(`^${wrong.name} (must be|is not) `));
      expect(inspect(reason)).not.toContain('s3cret');
    }
    expect(requests).toEqual([]);
  },
);

test('the options that there are stand beside one that is none', async () => {
  const { client } = clientOf([success]);
  const ended = await Promise.allSettled([
    clientOf([success], { timeout: 1 } as object).client.resendOffer('ofr_1'),
    client.resendOffer('ofr_1', { version: 7 } as object),
    client.approve('ptr_1', { approver: 'me' }, { after: 'sbx_1' } as object),
    Array.fromAsync(client.sandboxes({ key: 'mine' } as object)),
  ]);
  expect(ended.map((each) => (each as PromiseRejectedResult).reason.message)).toEqual([
    'timeout is not an option. The options are baseUrl, token, tryForS, fetch, onTry.',
    'version is not an option. The options are signal, tryForS, key.',
    'after is not an option. The options are signal, tryForS, key, version.',
    'key is not an option. The options are signal, tryForS, after, before.',
  ]);
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
  for (const call of calls) await expect(call).rejects.toThrow(/^The id /);
  expect(requests).toEqual([]);
});

test.each([
  [0, '"0"'],
  [[6, 7], '"6", "7"'],
  [undefined, null],
])('an approval of version %j has the If-Match %s', async (version, ifMatch) => {
  const { client, requests } = clientOf([json({ id: 'ptr_1', approvals: [] })]);
  await client.approve('ptr_1', { approver: 'me' }, { version });
  expect(requests.map(({ headers }) => headers.get('If-Match'))).toEqual([ifMatch]);
});

test('a client without options is a TypeError', () => {
  expect(() => paymentsClient(undefined as unknown as ClientOptions)).toThrow(
    new TypeError('The options must be an object.'),
  );
});

test.each([
  ['https://api.example.com', 'a/b?#', '/v1/offers/a%2Fb%3F%23/resend'],
  ['https://api.example.com/prod/v1/', 'ofr_1', '/prod/v1/offers/ofr_1/resend'],
])('at the baseUrl %s the id %s stays one part of the path', async (baseUrl, id, path) => {
  const { client, requests } = clientOf([success], { baseUrl });
  await client.resendOffer(id);
  expect(requests.map(({ url }) => url.href)).toEqual([`https://api.example.com${path}`]);
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
