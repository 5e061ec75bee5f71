import { expect, test } from 'vitest';
import { deviations } from '../../../test/support/contract.ts';
import { type Exchange, problemExample, successesOf } from '../examples.ts';

type Changes = Partial<Readonly<{ status: number; headers: object; body: object }>>;

/** A recorded response in which some is changed; what is undefined is left out. */
const changed = ({ response }: Exchange, { status, headers, body }: Changes = {}) => ({
  status: status ?? response.status,
  headers: new Headers(JSON.parse(JSON.stringify({ ...response.headers, ...headers }))),
  body: { ...(response.body as object), ...body },
});
const [created] = successesOf('createSandbox') as [Exchange];
const notSent = problemExample('resendOffer', 'offer_not_sent');
const sandboxes = '/v1/sandboxes';
const resend = '/v1/offers/ofr_draft/resend';

test('a response that is as documented deviates in nothing', () => {
  expect(deviations('POST', sandboxes, changed(created))).toEqual([]);
  expect(deviations('POST', resend, changed(notSent))).toEqual([]);
});

test.each<[string, string, string, Exchange, Changes?]>([
  ['a status', 'POST', sandboxes, created, { status: 202 }],
  ['a success of another operation', 'GET', sandboxes, created],
  ['405 where the method is allowed', 'DELETE', resend, notSent],
  ['a success where nothing is', 'POST', '/v1/nothing', created],
  ['another status in the body', 'POST', resend, notSent, { body: { status: 400 } }],
  ["another operation's code", 'POST', resend, notSent, { body: { code: 'not_a_manager' } }],
  ['a member', 'POST', sandboxes, created, { body: { pk: 'SANDBOX' } }],
  ['a missing member', 'POST', sandboxes, created, { body: { name: undefined } }],
  [
    'a time without milliseconds',
    'POST',
    sandboxes,
    created,
    { body: { created: '2026-11-21T00:00:00Z' } },
  ],
  ['a media type', 'POST', sandboxes, created, { headers: { 'Content-Type': 'text/html' } }],
  ['no Request-Id', 'POST', sandboxes, created, { headers: { 'Request-Id': undefined } }],
  ['a header', 'POST', resend, notSent, { headers: { Allow: 'GET' } }],
])('%s that is not documented is found', (_, method, url, exchange, changes) => {
  expect(deviations(method, url, changed(exchange, changes))).toHaveLength(1);
});
