import { paginateQuery, QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Author } from '../domain/author.ts';
import type { Caller } from '../domain/caller.ts';
import { PaymentRequestId } from '../domain/identifiers.ts';
import {
  type Approval,
  type PaymentRequest,
  VersionedPaymentRequest,
} from '../domain/payment-request.ts';
import { Problem, unknownIdAdvice } from '../domain/problem.ts';
import { documents, table } from './client.ts';
import { checkOf, commit, commitNew, putOf, updateOf, type Write } from './commit.ts';
import { bounds, keys } from './keys.ts';

/** A payment request as an item; its approvals are items of their own beside it. */
export const paymentRequestItem = (
  workspace: string,
  { approvals: _, ...fields }: PaymentRequest,
) => ({ ...keys.paymentRequest(fields.id), type: 'PAYMENT_REQUEST', workspace, ...fields });

export const approvalItem = (approval: Approval) => ({
  ...keys.approval(approval.payment_request, approval.id),
  type: 'APPROVAL',
  ...approval,
});

/**
 * How many items the first read returns: the request and its newest approvals; few requests have
 * more. The time of a response must not reveal how many approvals another tenant's request has, so
 * they are few.
 */
const firstPageSize = 6;

/** The members of a payment request, its key and owner. An approval has `id` among them. */
const members = ['sk', 'workspace', ...Object.keys(VersionedPaymentRequest.shape)];

/**
 * A payment request of the caller's workspace with all its approvals, oldest first.
 *
 * Its partition, read backwards, begins with the request itself and goes on with its newest
 * approvals: `PAYMENT_REQUEST` sorts after `APPROVAL#`.
 *
 * @param keyBegun settles before the approvals that are not on the first page are read
 * @throws Problem `payment_request_not_found`
 */
export const loadPaymentRequest = async (
  caller: Pick<Caller, 'workspace'>,
  id: string,
  keyBegun: Promise<void> = Promise.resolve(),
): Promise<VersionedPaymentRequest> => {
  const missing = new Problem(
    'payment_request_not_found',
    `There is no such payment request. ${unknownIdAdvice}`,
  );
  if (!PaymentRequestId.safeParse(id).success) throw missing;
  const { sk } = keys.paymentRequest(id);
  const { Items: [item, ...newest] = [], LastEvaluatedKey: next } = await documents.send(
    new QueryCommand({
      ...backwards(id, sk),
      Limit: firstPageSize,
      ProjectionExpression: members.map((name) => `#${name}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(members.map((name) => [`#${name}`, name])),
    }),
  );
  if (item?.sk !== sk || item.workspace !== caller.workspace) throw missing;
  const older = next ? await keyBegun.then(() => readApprovals(id, next)) : [];
  const approvals = [...newest.map(({ id }) => id), ...older].reverse();
  return VersionedPaymentRequest.parse({ ...item, approvals });
};

/** What must be as it was read: no two states of an item have the same values of these. */
const asRead = ['status', 'version', 'status_version'];

/**
 * Records an approval, and that the request is approved.
 *
 * A request that is approved already is not written again: approvals have no item in common, and
 * any number of them can be recorded at once. It is written if a later message has come, which
 * left its status: the approval is of that message too. With a precondition, the transaction checks
 * what was read, or a late write would succeed after its own 412.
 *
 * @throws Conflict, GuardRefused, OutcomeUnknown
 */
export const saveApproval = async (
  before: VersionedPaymentRequest,
  approval: Approval,
  hasPrecondition: boolean,
  author: Author,
  guard?: Write,
): Promise<void> => {
  const item = { ...approvalItem(approval), author };
  const key = keys.paymentRequest(before.id);
  if (before.status === 'approved' && before.status_version === undefined) {
    if (!hasPrecondition) return commitNew(item, guard);
    return commit([checkOf(key, before, asRead), putOf(item)], guard);
  }
  // With `ended`, the item's next image in the stream would publish the earlier end again.
  const after = { status: 'approved', status_version: undefined, ended: undefined };
  const approving = updateOf(key, after, before, asRead);
  return commit([approving, putOf(item)], guard);
};

/** A query for a payment request's partition, from this sort key back to its first approval. */
const backwards = (paymentRequest: string, last: string) => ({
  TableName: table(),
  ConsistentRead: true,
  ScanIndexForward: false,
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
  ExpressionAttributeValues: {
    ':pk': keys.paymentRequest(paymentRequest).pk,
    ':first': bounds.approval.first,
    ':last': last,
  },
});

/** The identifiers of a payment request's approvals behind a key, newest first. */
const readApprovals = async (
  paymentRequest: string,
  startingToken: QueryCommandOutput['LastEvaluatedKey'],
): Promise<string[]> => {
  // An approval's reason, up to 4 KB of UTF-8, stays in DynamoDB.
  const query = { ...backwards(paymentRequest, bounds.approval.last), ProjectionExpression: 'id' };
  const ids: string[] = [];
  for await (const { Items = [] } of paginateQuery({ client: documents, startingToken }, query)) {
    for (const { id } of Items) ids.push(id);
  }
  return ids;
};
