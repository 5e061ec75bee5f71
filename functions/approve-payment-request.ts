import { ApprovePaymentRequest, approve, newApproval } from './domain/payment-request.ts';
import { routes } from './domain/routes.ts';
import { endpoint } from './http/endpoint.ts';
import { savedPaymentRequest } from './idempotency/saved-payment-request.ts';
import { newIdentity } from './runtime/identity.ts';
import { findManager } from './store/managers.ts';
import { loadPaymentRequest, saveApproval } from './store/payment-requests.ts';

/** Any manager of the account approves a payment request, any number of times. */
export const handler = endpoint(
  routes.approvePaymentRequest,
  { body: ApprovePaymentRequest, saved: savedPaymentRequest },
  async ({ id, body, caller, author, claim }) => {
    const [paymentRequest, manager] = await Promise.all([
      loadPaymentRequest(caller, id),
      findManager(caller.account, body.approver),
    ]);
    const { opaque, created } = newIdentity();
    const approval = newApproval(id, body, opaque, created);
    const approved = approve(paymentRequest, manager, approval);
    await saveApproval(paymentRequest, approved, approval, author, claim(approved));
    return approved;
  },
);
