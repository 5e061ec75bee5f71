import { describe, expect, test } from 'vitest';
import { problemDetails } from '../../../functions/domain/problem.ts';
import type { PaymentsClient, PaymentsError, Try } from '../payments-client.ts';
import {
  clientOf,
  errorOf,
  type GivenResponse,
  json,
  problem,
  success,
} from './given-responses.ts';

const withType =
  (type: string, status = 200, body = '{"id":"ofr_1"}') =>
  () =>
    new Response(body, { status, headers: { 'Content-Type': type } });
const notFound = (code: string) => ({ ...problemDetails('offer_not_found', '', 'r-1'), code });
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
  '%s of the client accepts as a response no',
  (method, call) => {
    const foreign: [string, GivenResponse][] = [
      ['null', json(null)],
      ['list', json([])],
      ['page', withType('text/html', 200, '<html>')],
      ['success without a type', () => new Response('{"id":"ofr_1"}')],
      ['empty success', () => new Response(null, { status: 204 })],
      ['success that is a problem', withType('application/problem+json')],
      ['JSON of another server', json({ code: 'offer_not_found', detail: 'No.' }, { status: 404 })],
      ['problem of another server', problemOf(404, notFound('not_found'))],
      ['inherited code', problemOf(404, notFound('constructor'))],
      ['problem that is null', problemOf(404, null)],
      ['problem with the status of another', problemOf(410, notFound('offer_not_found'))],
      ['problem without a request_id', problemOf(404, { code: 'offer_not_found', status: 404 })],
      ['redirect', () => new Response(null, { status: 302, headers: { Location: '/' } })],
    ];
    const lists = [{}, { approvals: {}, sandboxes: 'none' }, { approvals: [1], sandboxes: [{}] }];
    const strange = lists.map((body): [string, GivenResponse] => [
      JSON.stringify(body),
      json(body),
    ]);

    test.each([...foreign, ...(method === 'resendOffer' ? [] : strange)])(
      '%s',
      async (_, response) => {
        const { client, requests } = clientOf([response]);
        expect(await errorOf(call(client))).toMatchObject({
          code: 'no_response',
          message: expect.stringMatching(/^The service has not given this response: status \d+\.$/),
          effect: method === 'sandboxes' ? 'none' : 'unknown',
        });
        expect(requests).toHaveLength(1);
      },
    );
  },
);

test('a problem may lack a detail and have strange faults', async () => {
  const returned = { ...problemDetails('offer_not_sent', '', 'request-1'), detail: undefined };
  const body = { ...returned, title: 'It has not been sent', errors: [null, 1, 'none'] };
  const { client } = clientOf([problemOf(409, body)]);
  expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject({
    message: 'offer_not_sent: It has not been sent',
    errors: [],
  });
});

test.each([
  [{ pointer: '/approver' }, '/approver: Must be a UUID.'],
  [{ pointer: '' }, 'Must be a UUID.'],
  [{ parameter: 'limit' }, 'limit: Must be a UUID.'],
  [{ header: 'If-Match' }, 'If-Match: Must be a UUID.'],
])('the message of an error has the first fault of the request, at %j', async (place, sentence) => {
  const fault = { code: 'invalid_format', detail: 'Must be a UUID.' };
  const errors = [
    { ...place, ...fault },
    { pointer: '/reason', ...fault },
  ];
  const problem = problemDetails('invalid_request', 'The request has 2 errors.', 'r-1');
  const { client } = clientOf([problemOf(400, { ...problem, errors })]);
  expect((await errorOf(client.resendOffer('ofr_1'))).message).toBe(
    `invalid_request: The request has 2 errors. ${sentence}`,
  );
});

describe('the message of an error of the client', () => {
  const token = 'wfp_live_secret';
  const evil = `<b>\u001b[31m\r\nBearer ${token}\u0000\u202e\u2028`;
  const named = Object.assign(new Error(evil), { name: evil, code: token });

  test.each<[string, GivenResponse]>([
    ['a page', withType(`text/${token}`, 404, evil)],
    ['JSON', json({ message: evil }, { status: 403 })],
    ['torn JSON', withType('application/json', 200, evil)],
    ['the code of a problem', problemOf(404, { code: evil })],
    ['an error of fetch', () => Promise.reject(new TypeError(evil, { cause: named }))],
    ['the name and the code of an error', () => Promise.reject(named)],
    ['what is no error', () => Promise.reject(evil)],
  ])('shows nothing of %s', async (_, response) => {
    const errors: unknown[] = [];
    const onTry = ({ error }: Try) => errors.push(error);
    const { client } = clientOf([response, success], { token, onTry });
    await client.resendOffer('ofr_1').catch(() => {});
    const { message, cause } = errors[0] as PaymentsError;
    expect(message).not.toMatch(/<b>|\[31m|secret|[\p{C}\u2028]/u);
    expect(cause).not.toBeInstanceOf(SyntaxError);
  });

  test('of the service shows neither control characters nor the token', async () => {
    const response = problemOf(409, problemDetails('offer_not_sent', evil, 'request-1'));
    const { client } = clientOf([response], { token });
    expect((await errorOf(client.resendOffer('ofr_1'))).message).toBe(
      'offer_not_sent: <b> [31m  Bearer …   ',
    );
  });

  test('of the service is whole beside a token that is a word', async () => {
    const { client } = clientOf([problem('offer_not_sent')], { token: 'test' });
    const { message } = await errorOf(client.resendOffer('ofr_1'));
    expect(message).toBe('offer_not_sent: Said by a test.');
  });
});

test('the body of a response may be 1 MiB and not longer', async () => {
  const padded = (bytes: number) => withType('application/json', 200, `${' '.repeat(bytes - 2)}{}`);
  expect(await clientOf([padded(2 ** 20)]).client.resendOffer('ofr_1')).toEqual({});
  const { client, requests } = clientOf([padded(2 ** 20 + 1)]);
  const expected = { code: 'no_response', status: 200, effect: 'unknown' };
  expect(await errorOf(client.resendOffer('ofr_1'))).toMatchObject(expected);
  expect(requests).toHaveLength(1);
});
