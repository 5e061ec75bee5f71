import { ApprovePaymentRequest, approve } from './domain/payment-request.ts';
import { routes } from './domain/routes.ts';
import { endpoint } from './http/endpoint.ts';
import { newOpaque } from './store/identifiers.ts';
import { findManager } from './store/managers.ts';
import {
  loadPaymentRequest,
  restorePaymentRequest,
  saveApproval,
} from './store/payment-requests.ts';

/** Any manager of the account approves a payment request, any number of times. */
export const handler = endpoint(
  routes.approvePaymentRequest,
  { body: ApprovePaymentRequest, restore: restorePaymentRequest },
  async ({ id, body, caller, now, claim }) => {
    const [request, manager] = await Promise.all([
      loadPaymentRequest(caller, id),
      findManager(caller.account, body.approver),
    ]);
    const approval = { id: `apprdec_${newOpaque()}`, payment_request: id, ...body, created: now };
    const approved = approve(request, manager, approval);
    await saveApproval(request, approved, approval, claim);
    return approved;
  },
);
