import { ApprovePaymentRequest, approve, newApproval } from './domain/payment-request.ts';
import { routes } from './domain/routes.ts';
import { endpoint } from './http/endpoint.ts';
import { findManager } from './store/managers.ts';
import { loadPaymentRequest, saveApproval } from './store/payment-requests.ts';

/** Any manager of the account approves a payment request, any number of times. */
export const handler = endpoint(routes.approvePaymentRequest, {
  body: ApprovePaymentRequest,
  load: ({ id, body, caller }, begun) =>
    Promise.all([
      loadPaymentRequest(caller, id, begun),
      findManager(caller.account, body.approver),
    ]),
  decide: ({ id, body }, [before, manager], { opaque, created }) => {
    const approval = newApproval(id, body, opaque, created);
    return { before, approval, response: approve(before, manager, approval) };
  },
  save: ({ before, approval, response }, { author, claim }) =>
    saveApproval(before, response, approval, author, claim),
});
