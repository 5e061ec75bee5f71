import { ApprovePaymentRequest, approve, newApproval } from './domain/payment-request.ts';
import { routes } from './domain/routes.ts';
import { endpoint } from './http/endpoint.ts';
import { findManager } from './store/managers.ts';
import { loadPaymentRequest, saveApproval } from './store/payment-requests.ts';

/** Any manager of the account approves a payment request, any number of times. */
export const handler = endpoint(routes.approvePaymentRequest, {
  body: ApprovePaymentRequest,
  ifMatch: true,
  load: ({ id, body, caller }, keyBegun) =>
    Promise.all([
      loadPaymentRequest(caller, id, keyBegun),
      findManager(caller.account, body.approver),
    ]),
  decide: ({ body, ifMatch }, [before, manager], { opaque, created }) => {
    const approval = newApproval(before, body, opaque, created);
    return { before, ifMatch, approval, response: approve(before, manager, approval, ifMatch) };
  },
  save: ({ before, ifMatch, approval }, { author, claim }) =>
    saveApproval(before, approval, ifMatch !== undefined, author, claim),
  changed: ({ id, approvals }) => ({ payment_request: id, approval: approvals.at(-1) }),
});
