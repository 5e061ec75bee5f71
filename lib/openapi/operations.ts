import { type ProblemCode, problems } from '../../functions/domain/problem.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import type { Operation, OperationId, OperationRequest } from './operation.ts';
import { approvePaymentRequest } from './operations/approve-payment-request.ts';
import { createSandbox } from './operations/create-sandbox.ts';
import { listSandboxes } from './operations/list-sandboxes.ts';
import { resendOffer } from './operations/resend-offer.ts';

/** What the document says of each operation, and its requests. */
export const operations = {
  approvePaymentRequest,
  createSandbox,
  listSandboxes,
  resendOffer,
} as const satisfies Readonly<Record<OperationId, Operation>>;

/** The request of any operation: that of its example, or one about another target of its own. */
export const requestOf = (operation: OperationId, target?: object): OperationRequest => {
  const { request, examples }: Operation = operations[operation];
  return request(target ?? examples.target);
};

/** Every `operationId`, in the order of the document. */
export const operationIds = Object.keys(routes) as OperationId[];

for (const operation of operationIds) {
  if (operation in operations) continue;
  const file = `lib/openapi/operations/${routes[operation].functionName}.ts`;
  throw new Error(
    `Operation ${operation} is not described. Write ${file}, and add it to lib/openapi/operations.ts.`,
  );
}

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
  const codes = new Set<string>([
    ...commonProblems,
    ...(method === 'POST' ? keyProblems : []),
    ...(workspaces === 'live' ? ['live_workspace_required'] : []),
    ...Object.keys(operations[operation].problems),
  ]);
  return (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
};
