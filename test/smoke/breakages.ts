import { answerHeaders } from '../../functions/domain/answer-headers.ts';
import {
  type ProblemCode,
  problemDetails,
  problemHeaders,
  problems,
} from '../../functions/domain/problem.ts';
import type { AnswerChange, Passing } from './changed-service.ts';

/** Every answer becomes a problem that the operation documents. */
const always =
  (code: ProblemCode): AnswerChange =>
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
    (change: (body: any, passing: Passing) => void): AnswerChange =>
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
const replaysOtherBytes: AnswerChange = ({ headers, text }) =>
  headers['idempotent-replayed'] ? { text: `${text} ` } : undefined;

const approve = 'POST /v1/payment-requests/{id}/approve';
const resend = 'POST /v1/offers/{id}/resend';
const create = 'POST /v1/sandboxes';
const list = 'GET /v1/sandboxes';
const unknown = `sbx_${'0'.repeat(26)}`;

/** Tests that a service fails which answers `unauthenticated` to everything. */
const refusals = [
  'nothing is at /v1',
  `${create} > refuses a body that is not declared as JSON`,
  `${create} > takes 64 KiB and not a byte more`,
  `${create} > refuses text that is not JSON`,
  `${list} > refuses query parameters that it does not know`,
  `${create} > refuses an Idempotency-Key of 256 characters`,
  `${list}, with any token > answers conflicting_parameters to starting_after=${unknown}&ending_before=${unknown}`,
  `${list}, with any token > answers invalid_cursor to cursor=nonsense`,
  `${list}, with any token > answers resource_missing to starting_after=${unknown}`,
  'payment_request_not_found is the answer to POST /v1/payment-requests/ptr_unknown/approve',
  'offer_not_found is the answer to POST /v1/offers/ofr_unknown/resend',
];

/** For tests of the contract, by name: a service that does not do what they prove. */
export const breakages: ReadonlyMap<string, AnswerChange> = new Map([
  ...refusals.map((test): [string, AnswerChange] => [test, always('unauthenticated')]),
  [`${list} > requires a token`, always('insufficient_scope')],
  [
    `${list} > answers other methods with 405 and lists the allowed ones`,
    ({ headers }) => ({ headers: { ...headers, allow: 'PATCH' } }),
  ],
  ['a token that is revoked while in use ends with the cache time', always('unauthenticated')],
  [`${list} > refuses a token that has expired or was revoked`, always('insufficient_scope')],
  [`${list} > requires its scope`, always('unauthenticated')],
  [`${create} > is for live workspaces, as is the list`, always('insufficient_scope')],
  [
    'every request has an id of its own',
    ({ status, headers, text }) => ({
      headers: { ...headers, 'request-id': 'same' },
      ...(status >= 400 && { text: JSON.stringify({ ...JSON.parse(text), request_id: 'same' }) }),
    }),
  ],
  [
    `${list}, with any token > leads from a page to the next one`,
    body((page, { path }) => {
      if (path.includes('cursor=')) page.sandboxes[0].id = `sbx_${'7'.repeat(26)}`;
    }),
  ],
  [
    `${list} > sees each of 250 sandboxes once in pages of 100, towards older ones`,
    body((page, { path }) => {
      if (path.includes('cursor=')) page.sandboxes.shift();
    }),
  ],
  [
    `${list} > has a cursor if and only if there is more`,
    body((page, { path }) => {
      if (path.includes('ending_before=') && page.sandboxes.length === 0) page.cursor = 'nonsense';
    }),
  ],
  [
    `${create} > gives a test workspace in which one can approve and resend`,
    body((answer) => {
      if (answer.approvals) answer.approvals = [];
    }),
  ],
  [
    `${approve} > answers another tenant's id, an unknown one and a malformed one alike`,
    ({ status, path, text }) =>
      status === 404 && path.includes('smoke_')
        ? { text: JSON.stringify({ ...JSON.parse(text), detail: 'It is not yours.' }) }
        : undefined,
  ],
  [
    'an approval is kept with its token and its request',
    ({ headers }) => ({ headers: { ...headers, 'request-id': 'other' } }),
  ],
  ['an approval is published on the bus', always('unavailable')],
  [`${approve} > lists each approval of each manager separately and in order`, losesAnApproval],
  [
    `${approve} > refuses an approver who is no manager of the account, and changes nothing`,
    always('payment_request_not_found'),
  ],
  [`${resend} > does not send an offer that is draft`, always('offer_not_found')],
  ['a mail to success@simulator.amazonses.com is recorded as delivered', countsNoAttempt],
  [
    'a mail to bounce@simulator.amazonses.com is recorded as bounced',
    body(({ delivery }) => {
      delivery.last_attempt.status = 'bounced';
    }),
  ],
  ['a mail to complaint@simulator.amazonses.com is recorded as complained', countsNoAttempt],
  ['a mail to suppressionlist@simulator.amazonses.com is recorded as bounced', countsNoAttempt],
  [`${approve} > with a key, approves once and gives the first answer again`, replaysOtherBytes],
  [`${create} > with a key, creates once and gives the first answer again`, replaysOtherBytes],
  [
    `${resend} > with a key, a repeat sends nothing and gets the first answer`,
    ({ headers: { 'idempotent-replayed': _, ...headers } }) => ({ headers }),
  ],
  [
    `${resend} > with one key 20 times at once, is one attempt`,
    (passing) =>
      passing.status === 409 ? always('offer_not_sent')(passing) : replaysOtherBytes(passing),
  ],
  [
    `${resend} > with a key whose first request is still running, answers 409, and later the replay`,
    (passing) => (passing.status === 409 ? always('offer_not_sent')(passing) : undefined),
  ],
  [
    `${resend} > keeps the keys of workspaces and of operations apart`,
    ({ headers }) => ({ headers: { ...headers, 'idempotent-replayed': 'true' } }),
  ],
]);
