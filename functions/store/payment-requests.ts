import {
  paginateQuery,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { encodeTime } from 'ulid';
import type { Caller } from '../domain/caller.ts';
import type { Claim } from '../domain/claim.ts';
import { PaymentRequestId } from '../domain/identifiers.ts';
import {
  type Approval,
  type PaymentRequest,
  StoredPaymentRequest,
} from '../domain/payment-request.ts';
import { Problem } from '../domain/problem.ts';
import { documents, table } from './client.ts';
import { commit, commitNew, create } from './commit.ts';
import { bounds, keys } from './keys.ts';
import { read } from './read.ts';

/** A payment request as an item; its approvals are items of their own beside it. */
export const paymentRequestItem = (workspace: string, request: PaymentRequest) => {
  const { approvals: _, ...fields } = request;
  return { ...keys.paymentRequest(request.id), type: 'PAYMENT_REQUEST', workspace, ...fields };
};

export const approvalItem = (approval: Approval) => ({
  ...keys.approval(approval.payment_request, approval.id),
  type: 'APPROVAL',
  ...approval,
});

/** Few payment requests have more, and reading so many does not delay the read beside it. */
const firstPageSize = 50;

/**
 * A payment request of the caller's workspace with all its approvals, oldest first.
 *
 * The time of an answer must not tell how many approvals another tenant's request has. So only the
 * request itself decides that it is missing, and until then no more than `firstPageSize` approvals are
 * read beside it: DynamoDB Local serves one call after another, and a longer query would delay it.
 *
 * @throws Problem `payment_request_not_found`
 */
export const loadPaymentRequest = async (caller: Caller, id: string): Promise<PaymentRequest> => {
  const missing = new Problem('payment_request_not_found', 'There is no such payment request.');
  if (!PaymentRequestId.safeParse(id).success) throw missing;
  const foreign = new AbortController();
  const query = new QueryCommand({ ...approvalsOf(id), Limit: firstPageSize });
  const found = read(keys.paymentRequest(id));
  const firstPage = documents.send(query, { abortSignal: foreign.signal });
  // A failure of it counts only once the request is known to be the caller's.
  firstPage.catch(() => {});
  const request = await found;
  if (request?.workspace !== caller.workspace) {
    foreign.abort();
    throw missing;
  }
  const { Items: newest = [], LastEvaluatedKey: next } = await firstPage;
  const older = next ? await readAll(approvalsOf(id), next) : [];
  const approvals = [...newest.map(({ id }) => id), ...older].reverse();
  return StoredPaymentRequest.parse({ ...request, approvals });
};

/**
 * Records an approval, and that the request is approved.
 *
 * A request that is already approved stays so whatever happens, and is not written again: approvals
 * then touch no item in common, and any number of them can be recorded at once.
 *
 * @throws AlreadyDone, Conflict
 */
export const saveApproval = async (
  before: PaymentRequest,
  approved: PaymentRequest,
  approval: Approval,
  claim?: Claim,
): Promise<void> => {
  const claimed = claim && { claim, result: compactPaymentRequest(approved) };
  if (before.status === 'approved') return commitNew(approvalItem(approval), claimed);
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
      create(approvalItem(approval)),
    ],
    claimed,
  );
};

/** A payment request with its newest approvals only; the ones before `approvals` are in the table. */
export interface CompactPaymentRequest extends Omit<PaymentRequest, 'approvals'> {
  readonly approvals: string;
  readonly earlier: string | null;
}

/** Not imported: loading it takes 2 ms, and only requests with a key need it. */
const zlib = () => process.getBuiltinModule('node:zlib');

const keptApprovals = 100;
/** Longer than a function may run and clocks may differ: no approval appears later than this. */
const settledAfterMs = 20_000;

/**
 * What is saved of an answer for its replay. An item holds 400 KB, an answer may be larger; so the
 * approvals that are settled, and will be found in the table as they were, are left there. The
 * newest are kept: another approval may still be committed between them.
 *
 * Bounded by a partition's 1,000 writes per second: 20,000 identifiers, deflated to 15 bytes each.
 */
const compactPaymentRequest = ({ approvals, ...fields }: PaymentRequest): CompactPaymentRequest => {
  const settled = `apprdec_${encodeTime(Date.now() - settledAfterMs)}`;
  // From the end: few are not settled, and there may be thousands before them.
  const firstUnsettled = approvals.findLastIndex((id) => id < settled) + 1;
  const from = Math.max(0, Math.min(firstUnsettled, approvals.length - keptApprovals));
  return {
    ...fields,
    approvals: zlib()
      .deflateRawSync(JSON.stringify(approvals.slice(from)))
      .toString('base64'),
    earlier: approvals[from - 1] ?? null,
  };
};

/** The approval that the answer was about: the last that it lists. */
export const newestApproval = ({ approvals }: CompactPaymentRequest): string =>
  inflated(approvals).at(-1) ?? '';

const inflated = (approvals: string): string[] =>
  JSON.parse(zlib().inflateRawSync(Buffer.from(approvals, 'base64')).toString());

/** The answer that was made compact, exactly as it was. */
export const restorePaymentRequest = async (
  compact: CompactPaymentRequest,
): Promise<PaymentRequest> => {
  const { earlier, approvals, ...fields } = compact;
  const before = earlier ? (await readAll(approvalsOf(fields.id, earlier))).reverse() : [];
  return StoredPaymentRequest.parse({ ...fields, approvals: [...before, ...inflated(approvals)] });
};

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
