import type {
  Operation,
  OperationId,
  OperationRequest,
} from '../../functions/contract/operation.ts';
import { type ProblemCode, problems } from '../../functions/domain/problem.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';

/** Every `operationId`, in the order of the document. */
export const operationIds = Object.keys(routes) as OperationId[];

const contractOf = async (operation: OperationId): Promise<Operation> => {
  const { functionName } = routes[operation];
  const { [operation]: contract } = await import(`../../functions/${functionName}.contract.ts`);
  if (contract) return contract;
  throw new Error(`functions/${functionName}.contract.ts does not export ${operation}.`);
};

/** The contract of each operation, which lies beside its function. */
export const operations = Object.fromEntries(
  await Promise.all(operationIds.map(async (id) => [id, await contractOf(id)])),
) as Readonly<Record<OperationId, Operation>>;

/** The request of any operation: that of its example, or one about another target of its own. */
export const requestOf = (operation: OperationId, target?: object): OperationRequest => {
  const { request, examples } = operations[operation];
  return request(target ?? examples.target);
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

/** Every code that an operation can return, in the order of the table of problems. */
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
