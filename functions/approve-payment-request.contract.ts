import { demo } from './contract/demo.ts';
import { paymentRequest } from './contract/objects.ts';
import type { Operation } from './contract/operation.ts';
import { identifier, ifMatch } from './contract/parameters.ts';
import { ApprovePaymentRequest } from './domain/payment-request.ts';

interface Target {
  readonly id: string;
  readonly manager: string;
  readonly reason?: string;
  /** The version of the record that the manager saw. */
  readonly version?: number;
}

const target: Target = {
  id: demo.payment_requests.pending,
  manager: demo.managers.live[0],
  reason: 'Matches the timesheet',
};

export const approvePaymentRequest: Operation<Target> = {
  access: {
    reads: ['GetItem', 'Query'],
    creates: ['paymentRequests'],
    checks: ['paymentRequests'],
    updates: {
      in: ['paymentRequests'],
      attributes: ['status', 'version', 'status_version', 'ended'],
    },
    claims: true,
  },
  clientMethod: 'approve',
  tag: 'Payment requests',
  summary: 'Approve a payment request',
  description:
    'Any manager of the account can approve a request, any number of times. Each approval is listed separately. The request becomes `approved` from any status.',
  parameters: [identifier('payment request', target.id), ifMatch],
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
  response: paymentRequest,
  success: 'The payment request, with the new approval last in `approvals`.',
  links: {
    ApproveAgain: {
      operationId: 'approvePaymentRequest',
      description: 'Another approval of the same payment request.',
      parameters: { id: '$response.body#/id' },
    },
  },
  request: ({ id, manager, reason, version }) => ({
    id,
    body: { approver: manager, reason },
    ...(version !== undefined && { headers: { 'If-Match': `"${version}"` } }),
  }),
  problems: {
    not_a_manager: { id: target.id, manager: demo.managers.other[0] },
    payment_request_not_found: { ...target, id: 'ptr_unknown' },
    version_mismatch: { ...target, version: 7 },
    response_too_large: null,
  },
  examples: {
    name: 'approved',
    target,
    faulty: { body: { approver: 'me', reason: '' }, headers: { 'If-Match': '7' } },
    keyed: {
      key: 'my-first-approval',
      different: { id: target.id, manager: demo.managers.live[1] },
    },
  },
};
