import { newestApproval } from '../../../functions/idempotency/saved-payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { isKey } from './item-limits.ts';
import type { Item, Key } from './scan.ts';

/** An item that another one requires. */
export interface Need {
  readonly key: Key;
  /** The member that names it. */
  readonly member: string;
  readonly what: string;
  /** Whether it must have left its first status. */
  readonly begun?: boolean;
  /** The item that names its workspace, if it names none itself. */
  readonly owner?: Key;
}

/**
 * What an item needs, if anything.
 *
 * @throws when the result of a claim cannot be read
 */
export const needOf = (item: Item): Need | undefined => {
  switch (item.type) {
    case 'APPROVAL': {
      const id = String(item.payment_request);
      const what = `payment request ${id}`;
      return { key: keys.paymentRequest(id), member: 'payment_request', what, begun: true };
    }
    case 'DELIVERY': {
      const id = String(item.offer);
      return { key: keys.offer(id), member: 'offer', what: `offer ${id}`, begun: true };
    }
    case 'SANDBOX': {
      if (item.status === 'provisioning') return undefined;
      const id = String(item.sandbox_workspace);
      return { key: keys.workspace(id), member: 'sandbox_workspace', what: `workspace ${id}` };
    }
    case 'CLAIM': {
      const key = effectKey(item);
      const isApproval = item.operation === 'approve-payment-request';
      const owner = key && isApproval && { owner: { ...key, sk: keys.paymentRequest('').sk } };
      return key && { key, member: 'result', what: `${key.sk} in ${key.pk}`, ...owner };
    }
    default:
      return undefined;
  }
};

/** Where the effect of a claim is: the answer that the claim keeps names it. */
const effectKey = ({ operation, result }: Item) => {
  const answer = JSON.parse(String(result));
  switch (operation) {
    case 'approve-payment-request':
      return keys.approval(answer.id, newestApproval(answer));
    case 'create-sandbox':
      return keys.sandbox(answer.workspace, answer.id);
    case 'resend-offer':
    case 'send-offer':
      return keys.delivery(answer.id, answer.delivery.last_attempt.id);
    default:
      return undefined;
  }
};

/** Why the effect of a claim cannot be looked up; undefined when it can. */
export const unreadableResult = (item: Item): string | undefined => {
  try {
    const need = needOf(item);
    if (!need || isKey(need.key)) return undefined;
  } catch {
    // It is not JSON, or not an answer of its operation.
  }
  return 'The result of the claim cannot be read.';
};

/** Items of a lower rank are written first. */
export const ranks = [0, 1, 2, 3] as const;

/**
 * The order in which items are written: items without a need; items that a redaction among them may
 * name; items that need one of those, and managers, whom an act among them may have removed; and
 * claims, which need any of them.
 *
 * @throws when the result of a claim cannot be read
 */
export const rankOf = (item: Item): (typeof ranks)[number] => {
  if (item.type === 'CLAIM') return 3;
  if (item.type === 'MANAGER' || needOf(item)) return 2;
  return item.type === 'PAYMENT_REQUEST' || item.type === 'OFFER' ? 1 : 0;
};
