import { refusals } from '../../bin/smoke/checks/refusals.ts';
import { answerHeaders } from '../../functions/domain/answer-headers.ts';
import {
  type ProblemCode,
  problemDetails,
  problemHeaders,
  problems,
} from '../../functions/domain/problem.ts';
import type { Change, Passing } from './changed-service.ts';

/** Every answer becomes a problem that the operation documents. */
const always =
  (code: ProblemCode): Change =>
  () => ({
    status: problems[code].status,
    headers: {
      ...answerHeaders,
      ...problemHeaders(code),
      'Request-Id': 'broken',
      ...(code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
    },
    text: JSON.stringify(problemDetails(code, 'Broken by a test.', 'broken')),
  });

/** Changes the bodies of successes. */
const body =
  // biome-ignore lint/suspicious/noExplicitAny: a test breaks what it likes.
    (change: (body: any, passing: Passing) => void): Change =>
    (passing) => {
      if (passing.status >= 300) return undefined;
      const changed = JSON.parse(passing.text);
      change(changed, passing);
      return { text: JSON.stringify(changed) };
    };

const losesAnApproval = body((request) => request.approvals.splice(1));
const countsNoAttempt = body(({ delivery }) => {
  delivery.attempts = 0;
});
/** A space more is another answer, byte for byte. */
const replaysOtherBytes: Change = ({ headers, text }) =>
  headers['idempotent-replayed'] ? { text: `${text} ` } : undefined;

/** For each check a service that does not do what the check proves. */
export const breakages: Readonly<Record<string, Change>> = {
  ...Object.fromEntries(refusals.map(({ name }) => [name, always('unauthenticated')])),
  unauthenticated: always('insufficient_scope'),
  method_not_allowed: ({ headers }) => ({ headers: { ...headers, allow: 'PATCH' } }),
  'revoked-token-cached': always('unauthenticated'),
  'revoked-token': always('insufficient_scope'),
  insufficient_scope: always('unauthenticated'),
  live_workspace_required: always('insufficient_scope'),
  'request-id': ({ status, headers, text }) => ({
    headers: { ...headers, 'request-id': 'same' },
    ...(status >= 400 && { text: JSON.stringify({ ...JSON.parse(text), request_id: 'same' }) }),
  }),
  cursor: body((page, { path }) => {
    if (path.includes('cursor=')) page.sandboxes[0].id = `sbx_${'7'.repeat(26)}`;
  }),
  list: body((page, { path }) => {
    if (path.includes('cursor=')) page.sandboxes.shift();
  }),
  sandbox: body((answer) => {
    if (answer.approvals) answer.approvals = [];
  }),
  tenancy: ({ status, path, text }) =>
    status === 404 && path.includes('_smoke_0')
      ? { text: JSON.stringify({ ...JSON.parse(text), detail: 'It is not yours.' }) }
      : undefined,
  trail: ({ headers }) => ({ headers: { ...headers, 'request-id': 'other' } }),
  events: always('unavailable'),
  approve: losesAnApproval,
  not_a_manager: always('payment_request_not_found'),
  offer_not_sent: always('offer_not_found'),
  'mail-delivered': countsNoAttempt,
  'mail-bounced': body(({ delivery }) => {
    delivery.last_attempt.status = 'bounced';
  }),
  'mail-complained': countsNoAttempt,
  'replay-approve': replaysOtherBytes,
  'replay-create': replaysOtherBytes,
  'replay-resend': ({ headers: { 'idempotent-replayed': _, ...headers } }) => ({ headers }),
  'one-effect': (passing) =>
    passing.status === 409 ? always('offer_not_sent')(passing) : replaysOtherBytes(passing),
  idempotency_key_in_use: (passing) =>
    passing.status === 409 ? always('offer_not_sent')(passing) : undefined,
  'key-scope': ({ headers }) => ({ headers: { ...headers, 'idempotent-replayed': 'true' } }),
};
