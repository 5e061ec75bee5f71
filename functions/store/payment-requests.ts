import {
  paginateQuery,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import type { Author } from '../domain/author.ts';
import type { Caller } from '../domain/caller.ts';
import { PaymentRequestId } from '../domain/identifiers.ts';
import {
  type Approval,
  type PaymentRequest,
  StoredPaymentRequest,
} from '../domain/payment-request.ts';
import { Problem } from '../domain/problem.ts';
import { documents, table } from './client.ts';
import { commit, commitNew, create, type Guard } from './commit.ts';
import { bounds, keys } from './keys.ts';
import { read } from './read.ts';

/** A payment request as an item; its approvals are items of their own beside it. */
export const paymentRequestItem = (workspace: string, request: PaymentRequest) => {
  const { approvals: _, ...fields } = request;
  return { ...keys.paymentRequest(request.id), type: 'PAYMENT_REQUEST', workspace, ...fields };
};

/** An approval as an item. */
export const approvalItem = (approval: Approval) => ({
  ...keys.approval(approval.payment_request, approval.id),
  type: 'APPROVAL',
  ...approval,
});

/** Few payment requests have more, and reading this many does not delay the read beside it. */
const firstPageSize = 50;

/**
 * A payment request of the caller's workspace with all its approvals, oldest first.
 *
 * The time of an answer must not reveal how many approvals another tenant's request has. So only
 * the read of the request itself decides that it is missing, and until then no more than
 * `firstPageSize` approvals are read beside it: DynamoDB Local serves one call after another, and a
 * longer query would delay it.
 *
 * @throws Problem `payment_request_not_found`
 */
export const loadPaymentRequest = async (
  caller: Pick<Caller, 'workspace'>,
  id: string,
): Promise<PaymentRequest> => {
  const missing = new Problem('payment_request_not_found', 'There is no such payment request.');
  if (!PaymentRequestId.safeParse(id).success) throw missing;
  const foreign = new AbortController();
  const query = new QueryCommand({ ...approvalsOf(id), Limit: firstPageSize });
  const found = read(keys.paymentRequest(id));
  const firstPage = documents.send(query, { abortSignal: foreign.signal });
  // A failure of it counts only once the request is known to be the caller's.
  firstPage.catch(() => {});
  const item = await found;
  if (item?.workspace !== caller.workspace) {
    foreign.abort();
    throw missing;
  }
  const { Items: newest = [], LastEvaluatedKey: next } = await firstPage;
  const older = next ? await readAll(approvalsOf(id), next) : [];
  const approvals = [...newest.map(({ id }) => id), ...older].reverse();
  return StoredPaymentRequest.parse({ ...item, approvals });
};

/**
 * Records an approval, and that the request is approved.
 *
 * A request that is already approved stays so whatever happens, and is not written again: approvals
 * then touch no item in common, and any number of them can be recorded at once.
 *
 * @throws Conflict, OutcomeUnknown, and the guard's refusal
 */
export const saveApproval = async (
  before: PaymentRequest,
  approved: PaymentRequest,
  approval: Approval,
  author: Author,
  guard?: Guard,
): Promise<void> => {
  const item = { ...approvalItem(approval), author };
  if (before.status === 'approved') return commitNew(item, guard);
  return commit(
    [
      {
        Update: {
          TableName: table(),
          Key: keys.paymentRequest(approved.id),
          UpdateExpression: 'SET #status = :approved',
          ConditionExpression: '#status = :before',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':approved': approved.status, ':before': before.status },
        },
      },
      create(item),
    ],
    guard,
  );
};

/** The approvals of a payment request up to `last`, oldest first. */
export const listApprovals = async (paymentRequest: string, last: string): Promise<string[]> =>
  (await readAll(approvalsOf(paymentRequest, last))).reverse();

/** A query for the identifiers of a payment request's approvals, newest first, from `last` on. */
const approvalsOf = (paymentRequest: string, last: string = bounds.lastId) => {
  const { pk, sk } = keys.approval(paymentRequest, last);
  return {
    TableName: table(),
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': bounds.approval.first, ':last': sk },
    // An approval's reason, up to 4 KB of UTF-8, stays in DynamoDB.
    ProjectionExpression: 'id',
  };
};

const readAll = async (
  query: QueryCommandInput,
  startingToken?: QueryCommandOutput['LastEvaluatedKey'],
): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { Items = [] } of paginateQuery({ client: documents, startingToken }, query)) {
    for (const { id } of Items) ids.push(id);
  }
  return ids;
};
