import { describe, expect, test } from 'vitest';
import { serverOf } from '../../../test/support/servers.ts';
import type { PaymentsClient } from '../payments-client.ts';
import { clientOf, errorOf, type GivenAnswer, json } from './given-answers.ts';

const withType =
  (type: string, status = 200, body = '{"id":"ofr_1"}') =>
  () =>
    new Response(body, { status, headers: { 'Content-Type': type } });
const problemOf = (status: number, body: unknown) =>
  withType('Application/Problem+JSON; charset=utf-8', status, JSON.stringify(body));

test('a success may have parameters in its type', async () => {
  const { client } = clientOf([withType('Application/JSON ; charset=UTF-8')]);
  expect(await client.resendOffer('ofr_1')).toEqual({ id: 'ofr_1' });
});

const methods: Readonly<Record<string, (client: PaymentsClient) => Promise<unknown>>> = {
  approve: (client) => client.approve('ptr_1', { approver: 'me' }),
  resendOffer: (client) => client.resendOffer('ofr_1'),
  sandboxes: (client) => Array.fromAsync(client.sandboxes()),
};

describe.each(Object.entries(methods))(
  '%s of the client accepts as an answer no',
  (method, call) => {
    const foreign: [string, GivenAnswer][] = [
      ['null', json(null)],
      ['list', json([])],
      ['page', withType('text/html', 200, '<html>')],
      ['success without a type', () => new Response('{"id":"ofr_1"}')],
      ['empty success', () => new Response(null, { status: 204 })],
      ['success that is a problem', withType('application/problem+json')],
      ['JSON of another server', json({ code: 'offer_not_found', detail: 'No.' }, { status: 404 })],
      ['problem of another server', problemOf(404, { code: 'not_found', detail: 'No.' })],
      ['inherited code', problemOf(404, { code: 'constructor', detail: 'No.' })],
      ['problem that is null', problemOf(404, null)],
      ['redirect', () => new Response(null, { status: 302, headers: { Location: '/' } })],
    ];
    const lists = [{}, { approvals: {}, sandboxes: 'none' }, { approvals: [1], sandboxes: [{}] }];
    const strange = lists.map((body): [string, GivenAnswer] => [JSON.stringify(body), json(body)]);

    test.each([...foreign, ...(method === 'resendOffer' ? [] : strange)])(
      '%s',
      async (_, answer) => {
        const { client, requests } = clientOf([answer]);
        expect(await errorOf(call(client))).toMatchObject({
          code: 'no_answer',
          message: expect.stringMatching(/^The service has not given this answer: status \d+\.$/),
          effect: method === 'sandboxes' ? 'none' : 'unknown',
        });
        expect(requests).toHaveLength(1);
      },
    );
  },
);

test('a problem may lack a detail and have strange faults', async () => {
  const body = { code: 'offer_not_sent', title: 'It has not been sent', errors: [null, 1, 'none'] };
  const { client } = clientOf([problemOf(409, body)]);
  expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
    message: 'offer_not_sent: It has not been sent',
    errors: [],
  });
});

describe('the message of an error of the client', () => {
  const token = 'wfp_live_secret';
  const evil = `<b>\u001b[31m\r\nBearer ${token}\u0000\u202e\u2028`;
  const named = Object.assign(new Error(evil), { name: evil, code: token });

  test.each<[string, GivenAnswer]>([
    ['a page', withType(`text/${token}`, 404, evil)],
    ['JSON', json({ message: evil }, { status: 403 })],
    ['torn JSON', withType('application/json', 200, evil)],
    ['the code of a problem', problemOf(404, { code: evil })],
    ['an error of fetch', () => Promise.reject(new TypeError(evil, { cause: named }))],
    ['the name and the code of an error', () => Promise.reject(named)],
    ['what is no error', () => Promise.reject(evil)],
  ])('shows nothing of %s', async (_, answer) => {
    const { client } = clientOf([answer], { token, tryForS: 0.05 });
    const { message, cause } = await errorOf(client.resendOffer('ofr_1'));
    expect(message).not.toMatch(/<b>|\[31m|secret|[\p{C}\u2028]/u);
    expect(cause).not.toBeInstanceOf(SyntaxError);
  });

  test('of the service shows neither control characters nor the token', async () => {
    const answer = problemOf(409, { code: 'offer_not_sent', detail: evil });
    const { client } = clientOf([answer], { token });
    expect((await errorOf(client.resendOffer('ofr_1'))).message).toBe(
      'offer_not_sent: <b> [31m  Bearer …   ',
    );
  });
});

describe('the length of the body of an answer', () => {
  const padded = (bytes: number) => withType('application/json', 200, `${' '.repeat(bytes - 2)}{}`);

  test('may be 1 MiB and not more', async () => {
    expect(await clientOf([padded(2 ** 20)]).client.resendOffer('ofr_1')).toEqual({});
    const { client, requests } = clientOf([padded(2 ** 20 + 1)]);
    expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
      code: 'no_answer',
      status: 200,
      effect: 'unknown',
    });
    expect(requests).toHaveLength(1);
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
