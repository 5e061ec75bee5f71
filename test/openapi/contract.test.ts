import { expect, test } from 'vitest';
import { answerHeaders } from '../../functions/domain/answer-headers.ts';
import { deviations } from '../../lib/openapi/contract.ts';
import { exchanges } from '../../lib/openapi/examples.ts';

const example = (operation: string, name: string) => {
  const found = exchanges.find((each) => each.operation === operation && each.name === name);
  if (!found) throw new Error(`There is no example ${name} of ${operation}.`);
  const { status, headers, body } = found.response;
  return { status, headers: new Headers(headers), body: body as Record<string, unknown> };
};
const created = () => example('createSandbox', 'created');
const notSent = () => example('resendOffer', 'offer_not_sent');
const resend = '/v1/offers/ofr_draft/resend';

test('an answer that is as documented deviates in nothing', () => {
  expect(deviations('POST', '/v1/sandboxes', created())).toEqual([]);
  expect(deviations('POST', resend, notSent())).toEqual([]);
});

test.each([
  ['a status', 'POST', '/v1/sandboxes', { ...created(), status: 202 }],
  ['a success of another operation', 'GET', '/v1/sandboxes', created()],
  ['405 where the method is allowed', 'DELETE', resend, notSent()],
  ['a success where nothing is', 'POST', '/v1/nothing', created()],
  [
    'another status in the body',
    'POST',
    resend,
    { ...notSent(), body: { ...notSent().body, status: 400 } },
  ],
  [
    "another operation's code",
    'POST',
    resend,
    { ...notSent(), body: { ...notSent().body, code: 'not_a_manager' } },
  ],
  [
    'a member',
    'POST',
    '/v1/sandboxes',
    { ...created(), body: { ...created().body, pk: 'SANDBOX' } },
  ],
  [
    'a missing member',
    'POST',
    '/v1/sandboxes',
    { ...created(), body: { ...created().body, name: undefined } },
  ],
  [
    'a time without milliseconds',
    'POST',
    '/v1/sandboxes',
    { ...created(), body: { ...created().body, created: '2026-11-21T00:00:00Z' } },
  ],
  [
    'a media type',
    'POST',
    '/v1/sandboxes',
    {
      ...created(),
      headers: new Headers({
        ...answerHeaders,
        'Request-Id': '12345678',
        'Content-Type': 'text/html',
      }),
    },
  ],
  [
    'no Request-Id',
    'POST',
    '/v1/sandboxes',
    {
      ...created(),
      headers: new Headers({ ...answerHeaders, 'Content-Type': 'application/json' }),
    },
  ],
  [
    'a header',
    'POST',
    resend,
    {
      ...notSent(),
      headers: new Headers({ ...Object.fromEntries(notSent().headers), Allow: 'GET' }),
    },
  ],
])('%s that is not documented is found', (_, method, url, answer) => {
  expect(deviations(method, url, answer)).toHaveLength(1);
});
