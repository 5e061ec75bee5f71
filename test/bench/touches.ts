import { routes } from '../../functions/domain/routes.ts';
import { claimKey } from '../../functions/idempotency/intent.ts';
import { keys } from '../../functions/store/keys.ts';

/**
 * What a request and all that follows from it take from one partition key, in units as DynamoDB
 * counts them: a consistent read of up to 4 KB or a write of up to 1 KB is one, and those of a
 * transaction are two ("Read and write requests", "Transaction capacity").
 */
export interface Touch {
  readonly pk: string;
  readonly reads?: number;
  readonly writes?: number;
}

/** A request, with the names of all that it is about. */
export interface DrawnRequest {
  readonly operation: 'approve' | 'create' | 'list' | 'resend';
  readonly tenant: string;
  /** The payment request or the offer. */
  readonly target: string;
  /** The name of what is new: a sandbox, an approval, a delivery attempt. */
  readonly fresh: string;
  readonly key?: string;
}

/** The authorizer is left out: it keeps its answer for a minute, so a token is read that seldom. */
export const touchesOf = (request: DrawnRequest): Touch[] => [
  ...touches[request.operation](request),
  ...(request.key ? keyTouches(request, request.key) : []),
];

const touches: Record<DrawnRequest['operation'], (request: DrawnRequest) => Touch[]> = {
  // A Query of eleven sandboxes of about 350 bytes.
  list: ({ tenant }) => [{ pk: keys.workspace(`wsp_${tenant}`).pk, reads: 1 }],

  // The request and the approval in one transaction; the manager is read beside.
  approve: ({ tenant, target }) => [
    { pk: keys.paymentRequest(`ptr_${target}`).pk, reads: 1, writes: 4 },
    { pk: keys.manager(`acc_${tenant}`, '').pk, reads: 1 },
  ],

  // A put; then the consumer reads it, and makes it ready in one transaction with its fixtures.
  create: ({ tenant, fresh, key }) => [
    { pk: keys.workspace(`wsp_${tenant}`).pk, reads: 1, writes: (key ? 2 : 1) + 2 },
    { pk: keys.workspace(`wsp_test_${fresh}`).pk, writes: 2 },
    { pk: keys.manager(`acc_test_${fresh}`, '').pk, writes: 2 },
    { pk: keys.paymentRequest(`ptr_${fresh}`).pk, writes: 2 },
    { pk: keys.offer(`ofr_${fresh}`).pk, writes: 4 },
  ],

  // Offer and attempt in one transaction (4); the consumer takes the attempt and ends it (2), and
  // what SES tells of the mail ends it once more (1). The request and the consumer read the offer,
  // the last one the attempt.
  resend: ({ target }) => [{ pk: keys.offer(`ofr_${target}`).pk, reads: 3, writes: 7 }],
};

/** Powertools' record, and the claim that the request's transaction writes over it. */
const keyTouches = ({ tenant, operation }: DrawnRequest, key: string): Touch[] => {
  const workspace = `wsp_${tenant}`;
  return [{ pk: claimKey({ workspace, operation: functionNames[operation], key }).pk, writes: 3 }];
};

const functionNames = {
  approve: routes.approvePaymentRequest.functionName,
  create: routes.createSandbox.functionName,
  list: routes.listSandboxes.functionName,
  resend: routes.resendOffer.functionName,
} as const;
