import { WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { PaymentRequest } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { approval } from './approval.ts';
import { type Item, type Kind, made, violation } from './kind.ts';

const { approvals: _, ...shape } = PaymentRequest.shape;
const beginnings = ['draft', 'pending'];
const isBeginning = ({ status }: Item) => beginnings.includes(String(status));

/**
 * A payment request as stored or as answered, without personal data. Its members keep their order.
 */
export const withoutDocuments = (request: Item): Item => ({
  ...request,
  reference: 'redacted',
  note: '',
  documents: [],
  payment: request.payment && {},
});

/** A payment request. Its approvals are items of their own. */
export const paymentRequest: Kind = {
  type: 'PAYMENT_REQUEST',
  noun: 'payment request',
  shape: { workspace: WorkspaceId, ...shape },
  key: ({ id }) => keys.paymentRequest(String(id)),
  changing: ['status', 'payment'],
  beginnings,
  subject: ({ id }) => String(id),
  isSubject: true,
  redaction: { after: withoutDocuments, isRead: true, isOpen: isBeginning },
  person: { option: 'worker', isAbout: ({ worker }, value) => worker === value },
  trail: (item) => [made(item, 'payment request created')],
  invariants: {
    approved_but_open:
      'a payment request with approvals that is still draft or pending (an approved request may become rejected, paid or cancelled)',
  },
  inspect: (item, partition) => {
    if (!isBeginning(item) || !partition.some(({ type }) => type === approval.type)) return [];
    const detail = `${item.id} is ${item.status} and has approvals.`;
    return [violation('approved_but_open', item, detail)];
  },
  repairs: {
    approved_but_open: (item) => (isBeginning(item) ? { ...item, status: 'approved' } : item),
  },
};
