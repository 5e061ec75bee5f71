import { type ProblemCode, problems } from '../../functions/domain/problem.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';

/** The `operationId` of an operation. */
export type OperationId = keyof typeof routes;

/** Every `operationId`, in the order of the document. */
export const operationIds = Object.keys(routes) as OperationId[];

/** What the document says of an operation. */
export interface Prose {
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  /** What a success means. */
  readonly success: string;
}

/** The tags by which the document groups its operations. */
export const tags = {
  'Payment requests': 'Requests of workers to be paid. Managers of the account approve them.',
  Sandboxes: 'Isolated test workspaces of a live workspace.',
  Offers: 'Offers are delivered to their recipients by e-mail.',
} as const;

/** What the document says of each operation. */
export const prose: Record<OperationId, Prose> = {
  approvePaymentRequest: {
    tag: 'Payment requests',
    summary: 'Approve a payment request',
    description:
      'Any manager of the account can approve a request, any number of times. Each approval is listed separately. The request becomes `approved` from any status.',
    success: 'The payment request, with the new approval last in `approvals`.',
  },
  createSandbox: {
    tag: 'Sandboxes',
    summary: 'Create a sandbox',
    description:
      'Returns a sandbox that is `provisioning`, which is `ready` within seconds. Its test workspace then contains data for the other operations: for `sbx_X` the payment request `ptr_X`, the sent offer `ofr_X` and the manager `00000000-0000-4000-8000-000000000001`.',
    success: 'The new sandbox.',
  },
  listSandboxes: {
    tag: 'Sandboxes',
    summary: 'List sandboxes',
    description:
      "Returns the sandboxes of the token's live workspace, newest first. Following the cursors returns each sandbox once, even while others are created. Send at most one of `cursor`, `starting_after` and `ending_before`.",
    success: 'One page. It has a `cursor` only if another page exists.',
  },
  resendOffer: {
    tag: 'Offers',
    summary: 'Send an offer again',
    description:
      'Sends the offer again to the address stored on it. The offer must have been sent before. Each request creates another delivery attempt. A retry with the same `Idempotency-Key` returns the saved response and sends nothing. A test workspace sends no e-mail: the attempt is simulated. The request has no body.',
    success: 'The offer. Its delivery summary includes the new attempt.',
  },
};

/** The problems that only this operation returns. */
const ownProblems: Record<OperationId, readonly ProblemCode[]> = {
  approvePaymentRequest: ['not_a_manager', 'payment_request_not_found'],
  createSandbox: [],
  listSandboxes: ['conflicting_parameters', 'invalid_cursor', 'resource_missing'],
  resendOffer: ['offer_not_found', 'offer_not_sent'],
};

/** The problems that every operation can return, from the gateway or while the request is read. */
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
