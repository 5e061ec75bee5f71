import { bodyLimitBytes } from '../../../functions/domain/body-limit.ts';
import type { ProblemCode } from '../../../functions/domain/problem.ts';
import { allowedMethods } from '../../../functions/domain/routes.ts';
import { tokenSecretLength, tokenText } from '../../../functions/domain/token-form.ts';
import { count } from '../../admin/print.ts';
import { requireProblem, type Sent, unexpectedAnswer } from '../call.ts';
import type { Check, Context } from '../check.ts';
import { operations, posts, sandboxesPath, unknownSandbox } from '../operations.ts';

type Ask = readonly [method: string, path: string, sent: Sent];

/** A check that each of these requests is answered with one problem. */
const refusalCheck = (
  code: ProblemCode,
  proves: string,
  asks: (context: Context) => readonly Ask[],
): Check => ({
  name: code,
  proves,
  run: async (context) => {
    const requests = asks(context);
    for (const [method, path, sent] of requests) {
      requireProblem(await context.call(method, path, sent), code);
    }
    return count(requests.length, 'request');
  },
});

const listsWith =
  (...queries: readonly string[]) =>
  ({ token }: Context): Ask[] =>
    queries.map((query) => ['GET', `${sandboxesPath}?${query}`, { token }]);

/** The problems that anybody with a token can bring about. */
export const refusals: readonly Check[] = [
  refusalCheck('unauthenticated', 'a request without a valid token is refused', () =>
    operations.flatMap(({ route, path, sent }) =>
      [undefined, 'nonsense', tokenText('live', 'x'.repeat(tokenSecretLength))].map(
        (token): Ask => [route.method, path, { ...sent, token }],
      ),
    ),
  ),
  refusalCheck('route_not_found', 'a path without a route is answered as one', ({ token }) =>
    ['/v1', '/v2/sandboxes', '/v1/offers/ofr_smoke_none'].flatMap((path): Ask[] => [
      ['GET', path, {}],
      ['GET', path, { token }],
    ]),
  ),
  {
    name: 'method_not_allowed',
    proves: 'a method that a path does not support is refused',
    run: async ({ call }) => {
      for (const { route, path } of operations) {
        const answers = await Promise.all([
          call('DELETE', path),
          call('PUT', path, { raw: '<x>', headers: { 'Content-Type': 'text/plain' } }),
        ]);
        for (const answer of answers) {
          requireProblem(answer, 'method_not_allowed');
          const allowed = allowedMethods(route.path);
          if (answer.headers.get('allow') !== allowed)
            throw unexpectedAnswer(answer, `Allow: ${allowed}`);
        }
      }
      return undefined;
    },
  },
  refusalCheck('unsupported_media_type', 'a body that is not JSON is refused', ({ token }) =>
    posts.map(({ path }) => [
      'POST',
      path,
      { token, raw: 'name=x', headers: { 'Content-Type': 'text/plain' } },
    ]),
  ),
  refusalCheck('body_too_large', 'a body over 64 KiB is refused', ({ token }) =>
    posts.map(({ path }) => ['POST', path, { token, raw: `{}${' '.repeat(bodyLimitBytes - 1)}` }]),
  ),
  refusalCheck('invalid_request', 'a malformed request is refused', (context) => [
    ...posts.flatMap(({ path }): Ask[] => [
      ['POST', path, { token: context.token, raw: '{' }],
      ['POST', path, { token: context.token, body: { unknown: true } }],
      ['POST', `${path}?unknown=1`, { token: context.token, body: { approver: 'me', name: '' } }],
    ]),
    ...listsWith(
      'limit=0',
      'limit=101',
      'limit=1.5',
      'limit=',
      'limit=1&limit=2',
      'page=1',
    )(context),
  ]),
  refusalCheck('invalid_idempotency_key', 'a key of 256 characters is refused', ({ token }) =>
    posts.map(({ path, sent }) => ['POST', path, { ...sent, token, key: 'x'.repeat(256) }]),
  ),
  refusalCheck(
    'conflicting_parameters',
    'two places to start a list at are refused',
    listsWith(`starting_after=${unknownSandbox}&ending_before=${unknownSandbox}`),
  ),
  refusalCheck(
    'invalid_cursor',
    'a made-up cursor is refused',
    listsWith('cursor=nonsense', 'cursor='),
  ),
  refusalCheck(
    'resource_missing',
    'a list from a sandbox that does not exist is refused',
    listsWith(
      `starting_after=${unknownSandbox}`,
      `ending_before=${unknownSandbox}`,
      'starting_after=x',
    ),
  ),
  refusalCheck(
    'payment_request_not_found',
    'an unknown payment request is not found',
    ({ token }) =>
      ['ptr_smoke_none', 'nonsense'].map((id) => [
        'POST',
        `/v1/payment-requests/${id}/approve`,
        { token, body: { approver: '00000000-0000-4000-8000-000000000000' } },
      ]),
  ),
  refusalCheck('offer_not_found', 'an unknown offer is not found', ({ token }) =>
    ['ofr_smoke_none', 'nonsense'].map((id) => ['POST', `/v1/offers/${id}/resend`, { token }]),
  ),
];
