import type { Item } from '../../bin/admin/table/scan.ts';
import type { PaymentRequest } from '../../functions/domain/payment-request.ts';
import { claim } from '../../functions/idempotency/claims.ts';
import { newIntent } from '../../functions/idempotency/intent.ts';
import { savedPaymentRequest } from '../../functions/idempotency/saved-payment-request.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';

/** The claim on a result, under a key of its own. */
export const claimItem = (workspace: string, operation: string, result: unknown): Item => {
  const intent = newIntent({ workspace, operation, key: newOpaque() }, 'f'.repeat(64));
  return claim(intent, result).write.Put?.Item ?? {};
};

/** The claim on an approval of a payment request. */
export const approvalClaimItem = (workspace: string, request: PaymentRequest, id: string): Item =>
  claimItem(
    workspace,
    'approve-payment-request',
    savedPaymentRequest.compact({ ...request, approvals: [id] }, Date.now()),
  );
