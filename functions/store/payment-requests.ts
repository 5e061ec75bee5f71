import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { encodeTime } from 'ulid';
import type { Caller } from '../domain/caller.ts';
import type { Claim } from '../domain/claim.ts';
import { PaymentRequestId } from '../domain/identifiers.ts';
import { type Approval, PaymentRequest } from '../domain/payment-request.ts';
import { Problem } from '../domain/problem.ts';
import { documents, table } from './client.ts';
import { commit, commitNew, create } from './commit.ts';
import { bounds, keys } from './keys.ts';

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

/**
 * A payment request of the caller's workspace with all its approvals, oldest first.
 *
 * It is read backwards, since the request sorts behind its approvals: so somebody else's request is
 * turned away after the first page, as fast as one that does not exist.
 *
 * @throws Problem `payment_request_not_found`
 */
export const loadPaymentRequest = async (caller: Caller, id: string): Promise<PaymentRequest> => {
  const missing = new Problem('payment_request_not_found', 'There is no such payment request.');
  if (!PaymentRequestId.safeParse(id).success) throw missing;
  const { pk } = keys.paymentRequest(id);
  const [request, ...approvals] = await query(
    {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ScanIndexForward: false,
    },
    (first) => {
      if (first?.workspace !== caller.workspace) throw missing;
    },
  );
  return PaymentRequest.parse({ ...request, approvals: approvals.map(({ id }) => id).reverse() });
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
  const before = earlier ? await approvalsUpTo(fields.id, earlier) : [];
  return PaymentRequest.parse({ ...fields, approvals: [...before, ...inflated(approvals)] });
};

const approvalsUpTo = async (paymentRequest: string, last: string) => {
  const { pk, sk } = keys.approval(paymentRequest, last);
  const items = await query({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': bounds.approval.first, ':last': sk },
  });
  return items.map(({ id }) => id);
};

/** What an answer shows. An approval's reason, up to 4 KB of UTF-8, stays in DynamoDB. */
const shown = ['workspace', ...Object.keys(PaymentRequest.shape)];

const query = async (
  input: Omit<QueryCommandInput, 'TableName'>,
  checkFirst?: (item: Record<string, unknown> | undefined) => void,
) => {
  const items: Record<string, unknown>[] = [];
  for await (const page of paginateQuery(
    { client: documents },
    {
      ...input,
      TableName: table(),
      ConsistentRead: true,
      ProjectionExpression: shown.map((name) => `#${name}`).join(),
      ExpressionAttributeNames: Object.fromEntries(shown.map((name) => [`#${name}`, name])),
    },
  )) {
    if (items.length === 0) checkFirst?.(page.Items?.[0]);
    items.push(...(page.Items ?? []));
  }
  return items;
};
