import { Approval } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Kind, made } from './kind.ts';

/** One manager's decision on a payment request. It names no workspace. */
export const approval: Kind = {
  type: 'APPROVAL',
  noun: 'approval',
  shape: Approval.shape,
  key: ({ payment_request, id }) => keys.approval(String(payment_request), String(id)),
  rank: 1,
  need: (item) => {
    const id = String(item.payment_request);
    return {
      key: keys.paymentRequest(id),
      member: 'payment_request',
      what: `payment request ${id}`,
      begun: true,
      code: 'approval_without_request',
      detail: `${item.id} is an approval of ${id}, which does not exist.`,
    };
  },
  isEffect: true,
  lost: ({ id, payment_request, approver }) =>
    `The approval ${id} of ${payment_request} by ${approver} is lost: approve the payment request again. Its event stays published.`,
  subject: ({ payment_request }) => String(payment_request),
  redaction: { after: ({ reason: _, ...rest }) => rest },
  trail: (item) => {
    const { payment_request, approver, reason } = item;
    return [{ ...made(item, 'approved', { payment_request, approver }), reason }];
  },
  published: (item) => [item],
  invariants: { approval_without_request: 'an approval without its payment request' },
};
