import { PaymentRequestId } from '../../../functions/domain/identifiers.ts';
import { ApprovePaymentRequest } from '../../../functions/domain/payment-request.ts';
import { demo } from '../demo.ts';
import { paymentRequest } from '../objects.ts';
import type { Operation } from '../operation.ts';
import { identifier } from '../parameters.ts';

/** The operation `approvePaymentRequest`. */
export const approvePaymentRequest: Operation = {
  tag: 'Payment requests',
  summary: 'Approve a payment request',
  description:
    'Any manager of the account can approve a request, any number of times. Each approval is listed separately. The request becomes `approved` from any status.',
  parameters: [identifier('payment request', PaymentRequestId, demo.payment_requests.pending)],
  body: {
    name: 'ApprovePaymentRequest',
    schema: ApprovePaymentRequest,
    descriptions: {
      '': 'An approval.',
      approver: 'UUID of the manager who approves, in upper or lower case.',
      reason:
        'The reason for the approval, shown to the worker. It contains at least one visible character.',
    },
  },
  answer: paymentRequest,
  success: 'The payment request, with the new approval last in `approvals`.',
  links: {
    ApproveAgain: {
      operationId: 'approvePaymentRequest',
      description: 'Another approval of the same payment request.',
      parameters: { id: '$response.body#/id' },
    },
  },
  problems: {
    not_a_manager: { body: { approver: demo.managers.other[0] } },
    payment_request_not_found: { path: '/v1/payment-requests/ptr_unknown/approve' },
  },
  examples: {
    name: 'approved',
    request: {
      path: `/v1/payment-requests/${demo.payment_requests.pending}/approve`,
      body: { approver: demo.managers.live[0], reason: 'Matches the timesheet' },
    },
    faulty: { body: { approver: 'me', reason: '' } },
    keyed: {
      key: 'my-first-approval',
      different: { body: { approver: demo.managers.live[1] } },
    },
  },
};
