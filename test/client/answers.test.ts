import { describe, expect, test } from 'vitest';
import type { PaymentsClient } from '../../lib/client/payments-client.ts';
import { serverOf } from '../support/servers.ts';
import { clientOf, errorOf, type GivenAnswer, json, lost, problem } from './given-answers.ts';

const withType =
  (type: string, status = 200, body = '{"id":"ofr_1"}') =>
  () =>
    new Response(body, { status, headers: { 'Content-Type': type } });
const problemOf = (status: number, body: unknown) =>
  withType('application/problem+json', status, JSON.stringify(body));

test.each([
  'application/json',
  'Application/JSON',
  'application/json;charset=UTF-8',
  'application/json ; a=b',
])('a success may be %s', async (type) => {
  const { client } = clientOf([withType(type)]);
  expect(await client.resendOffer('ofr_1')).toEqual({ id: 'ofr_1' });
});

test.each(['APPLICATION/PROBLEM+JSON', 'application/problem+json; charset=utf-8'])(
  'a problem may be %s',
  async (type) => {
    const body = JSON.stringify({ code: 'offer_not_sent', detail: 'The offer is a draft.' });
    const { client } = clientOf([withType(type, 409, body)]);
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
      code: 'offer_not_sent',
      message: 'offer_not_sent: The offer is a draft.',
    });
  },
);

const methods: Readonly<Record<string, (client: PaymentsClient) => Promise<unknown>>> = {
  approve: (client) => client.approve('ptr_1', { approver: 'me' }),
  createSandbox: (client) => client.createSandbox({ name: 'Mine' }),
  resendOffer: (client) => client.resendOffer('ofr_1'),
  sandboxes: (client) => Array.fromAsync(client.sandboxes()),
};

describe.each(Object.entries(methods))(
  '%s of the client accepts as an answer no',
  (method, call) => {
    const foreign: [string, GivenAnswer][] = [
      ['null', json(null)],
      ['list', json([])],
      ['text', json('done')],
      ['number', json(1)],
      ['true', json(true)],
      ['page', withType('text/html', 200, '<html>')],
      ['success without a type', () => new Response('{"id":"ofr_1"}')],
      ['empty success', () => new Response(null, { status: 204 })],
      ['success that is only called JSON', withType('application/vnd.other+json')],
      ['success that is a problem', withType('application/problem+json')],
      ['JSON of another server', json({ code: 'offer_not_found', detail: 'No.' }, { status: 404 })],
      ['problem of another server', problemOf(404, { code: 'not_found', detail: 'No.' })],
      ['inherited code', problemOf(404, { code: 'constructor', detail: 'No.' })],
      ['problem that is null', problemOf(404, null)],
      ['problem that is a list', problemOf(404, [{ code: 'offer_not_found' }])],
      ['code that is a list', problemOf(404, { code: ['offer_not_found'] })],
      ['redirect', () => new Response(null, { status: 302, headers: { Location: '/' } })],
    ];
    const unlisted = [
      {},
      { approvals: null, sandboxes: null },
      { approvals: {}, sandboxes: 'none' },
    ];
    const strange = [
      ...unlisted,
      { approvals: [null], sandboxes: [null] },
      { approvals: [1], sandboxes: [{}] },
      { approvals: [{ id: 'apprdec_1' }], sandboxes: ['sbx_1'], cursor: 'next' },
    ];
    const lists = strange.map((body): [string, GivenAnswer] => [JSON.stringify(body), json(body)]);

    test.each([...foreign, ...(/approve|sandboxes/.test(method) ? lists : [])])(
      '%s',
      async (_, answer) => {
        const { client, requests } = clientOf([answer]);
        const error = await errorOf(call(client));
        expect(error).toMatchObject({
          code: 'no_answer',
          message: expect.stringMatching(/^The service has not given this answer: status \d+\.$/),
          effect: method === 'sandboxes' ? 'none' : 'unknown',
        });
        expect(requests).toHaveLength(1);
      },
    );
  },
);

test('a problem without a detail is called by its title', async () => {
  const body = { code: 'offer_not_sent', title: 'The offer has not been sent' };
  const { client } = clientOf([problemOf(409, body)]);
  expect((await errorOf(client.resendOffer('ofr_1'))).message).toBe(
    'offer_not_sent: The offer has not been sent',
  );
});

test.each([
  ['null', null],
  ['a text', 'none'],
  ['strange', [null, 1, 'none']],
])('the faults of a problem are none when they are %s', async (_, errors) => {
  const { client } = clientOf([problemOf(400, { code: 'invalid_request', detail: 'No.', errors })]);
  expect((await errorOf(client.resendOffer('ofr_1'))).errors).toEqual([]);
});

describe('the message of an error of the client', () => {
  const token = 'wfp_live_secret';
  const evil = `<b>\u001b[31m\r\nBearer ${token}\u0000\u202e\u2028`;
  const named = (name: string) => Object.assign(new Error(evil), { name });

  test.each<[string, GivenAnswer]>([
    ['a page', withType('text/html', 404, evil)],
    ['JSON', json({ message: evil }, { status: 403 })],
    [
      'a type',
      () => new Response(evil, { status: 404, headers: { 'Content-Type': `text/${token}` } }),
    ],
    ['torn JSON', withType('application/json', 200, evil)],
    ['a torn problem', withType('application/problem+json', 404, evil)],
    ['the code of a problem', problemOf(404, { code: evil })],
    ['an error of fetch', () => Promise.reject(new TypeError(evil, { cause: named(evil) }))],
    ['the name of an error', () => Promise.reject(named(evil))],
    ['the code of an error', () => Promise.reject(Object.assign(named(token), { code: token }))],
    ['what is no error', () => Promise.reject(evil)],
  ])('shows nothing of %s', async (_, answer) => {
    const { client } = clientOf([answer], { token, tryForS: 0.05 });
    const { message } = await errorOf(client.resendOffer('ofr_1'));
    expect(message).not.toMatch(/<b>|\[31m|secret/);
    expect(message).not.toMatch(/[\p{C}\u2028]/u);
  });

  test('of the service shows neither control characters nor the token', async () => {
    const { client } = clientOf([problemOf(409, { code: 'offer_not_sent', detail: evil })], {
      token,
    });
    expect((await errorOf(client.resendOffer('ofr_1'))).message).toBe(
      'offer_not_sent: <b> [31m  Bearer …   ',
    );
  });

  test('does not show torn JSON, and neither does its cause', async () => {
    const { client } = clientOf([withType('application/json', 200, evil)], {
      token,
      tryForS: 0.05,
    });
    expect((await errorOf(client.resendOffer('ofr_1'))).cause).toBeUndefined();
  });

  test.each([undefined, null, 0, {}])(
    'is a sentence when fetch rejects with %s',
    async (reason) => {
      const { client } = clientOf([() => Promise.reject(reason)], { tryForS: 0.05 });
      expect((await errorOf(client.resendOffer('ofr_1'))).message).toMatch(
        /^No complete answer from api\.example\.com\b.*\.$/,
      );
    },
  );
});

describe('the length of the body of an answer', () => {
  const padded = (bytes: number) => withType('application/json', 200, `${' '.repeat(bytes - 2)}{}`);

  test('may be 1 MiB', async () => {
    expect(await clientOf([padded(2 ** 20)]).client.resendOffer('ofr_1')).toEqual({});
  });

  test('may not be more', async () => {
    const { client, requests } = clientOf([padded(2 ** 20 + 1)]);
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
      code: 'no_answer',
      status: 200,
      effect: 'unknown',
    });
    expect(requests).toHaveLength(1);
  });

  test('ends a body without an end', async () => {
    let sent = 0;
    const baseUrl = await serverOf((_, response) => {
      const chunk = Buffer.alloc(2 ** 16, ' ');
      const write = () => {
        while (response.write(chunk)) sent += chunk.length;
        response.once('drain', write);
      };
      write();
    });
    const { client } = clientOf([], { baseUrl, fetch, tryForS: 60 });
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({ code: 'no_answer' });
    // What is on its way is not the client's.
    expect(sent).toBeLessThan(2 ** 25);
  });

  test('counts bytes, and a character may be in two chunks', async () => {
    const bytes = new TextEncoder().encode('{"id":"ö"}');
    const inChunks = () =>
      new Response(
        new ReadableStream({
          start: (body) => {
            for (const byte of bytes) body.enqueue(new Uint8Array([byte]));
            body.close();
          },
        }),
        { headers: { 'Content-Type': 'application/json' } },
      );
    expect(await clientOf([inChunks]).client.resendOffer('ofr_1')).toEqual({ id: 'ö' });
  });
});

test('a torn body of a server keeps its Request-Id', async () => {
  const baseUrl = await serverOf((_, response) => {
    const headers = { 'Content-Type': 'application/json', 'Request-Id': 'request-7' };
    response.writeHead(200, { ...headers, 'Content-Length': '100' });
    response.write('{"id":', () => response.destroy());
  });
  const { client } = clientOf([], { baseUrl, fetch, tryForS: 0.2 });
  expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
    code: 'no_answer',
    status: 200,
    requestId: 'request-7',
    effect: 'unknown',
  });
});

test('the Request-Id of a header is kept like that of a problem', async () => {
  const { client } = clientOf([
    problem('offer_not_sent', { 'Request-Id': 'request-2' }, 'request-2'),
  ]);
  expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({ requestId: 'request-2' });
  const withoutId = clientOf([
    problemOf(409, { code: 'offer_not_sent', request_id: 7 }),
    lost,
  ]).client;
  expect((await errorOf(withoutId.resendOffer('ofr_1'))).requestId).toBeUndefined();
});
