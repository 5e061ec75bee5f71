import { type ProblemCode, problems } from '../../functions/domain/problem.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';

export type OperationId = keyof typeof routes;

export const operationIds = Object.keys(routes) as OperationId[];

export interface Prose {
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  /** What a success means. */
  readonly success: string;
}

export const tags = {
  'Payment requests': 'What workers ask to be paid. Managers of the account approve it.',
  Sandboxes: 'Isolated test workspaces of a live workspace.',
  Offers: 'Delivered to their recipients by e-mail.',
} as const;

export const prose: Record<OperationId, Prose> = {
  approvePaymentRequest: {
    tag: 'Payment requests',
    summary: 'Approve a payment request',
    description:
      'Any manager of the account may approve, any number of times; each approval is listed separately. Whatever state the request is in, it is `approved` afterwards.',
    success: 'The payment request, with the new approval last in `approvals`.',
  },
  createSandbox: {
    tag: 'Sandboxes',
    summary: 'Create a sandbox',
    description:
      'Answers at once with a sandbox that is `provisioning`; within seconds it is `ready`. Its test workspace then holds what it takes to try the other endpoints there: for `sbx_X` the payment request `ptr_X`, the sent offer `ofr_X` and the manager `00000000-0000-4000-8000-000000000001`.',
    success: 'The new sandbox.',
  },
  listSandboxes: {
    tag: 'Sandboxes',
    summary: 'List sandboxes',
    description:
      "The sandboxes of the token's live workspace, newest first. A walk by cursors sees each sandbox once, whatever is created meanwhile. Give at most one of `cursor`, `starting_after` and `ending_before`.",
    success: 'One page. It has a `cursor` if and only if there is another page.',
  },
  resendOffer: {
    tag: 'Offers',
    summary: 'Send an offer again',
    description:
      "The offer must have been sent already. Each request makes another delivery attempt and e-mails the address stored on the offer; in a test workspace the mail is simulated. With an `Idempotency-Key` a retry gets the first try's answer and sends nothing. There is no body.",
    success: 'The offer, its delivery summary counting the new attempt.',
  },
};

/** What only this operation answers, beside what its route makes it answer. */
const ownProblems: Record<OperationId, readonly ProblemCode[]> = {
  approvePaymentRequest: ['not_a_manager', 'payment_request_not_found'],
  createSandbox: [],
  listSandboxes: ['conflicting_parameters', 'invalid_cursor', 'resource_missing'],
  resendOffer: ['offer_not_found', 'offer_not_sent'],
};

/** What anything aimed at a path may be answered, by the gateway or while the request is read. */
const commonProblems: readonly ProblemCode[] = [
  'invalid_request',
  'unauthenticated',
  'insufficient_scope',
  'request_blocked',
  'route_not_found',
  'method_not_allowed',
  'body_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'unavailable',
  'outcome_unknown',
];

const keyProblems: readonly ProblemCode[] = [
  'invalid_idempotency_key',
  'idempotency_key_in_use',
  'idempotency_key_reused',
];

/** Every code that an operation can answer, in the order of the table of problems. */
export const problemsOf = (operation: OperationId): ProblemCode[] => {
  const { method, workspaces }: Route = routes[operation];
  const codes = new Set<ProblemCode>([
    ...commonProblems,
    ...(method === 'POST' ? keyProblems : []),
    ...(workspaces === 'live' ? (['live_workspace_required'] as const) : []),
    ...ownProblems[operation],
  ]);
  return (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
};
