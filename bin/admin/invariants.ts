import { newestApproval } from '../../functions/idempotency/saved-payment-request.ts';
import { keys } from '../../functions/store/keys.ts';
import { misshapen } from './record.ts';
import type { Item } from './table/scan.ts';

/** Something in the table that cannot be, or has been for too long. */
export interface Violation {
  readonly code: ViolationCode;
  /** The item that it was found on. */
  readonly pk: string;
  readonly sk: string;
  readonly detail: string;
}

/** The code of an invariant that `verify` checks. */
export type ViolationCode = keyof typeof invariants;

/** What `verify` looks for, by code. */
export const invariants = {
  misshapen_item: 'an item that its schema does not accept',
  stuck_sandbox: 'a sandbox that has been provisioning for more than ten minutes',
  sandbox_without_workspace: 'a ready sandbox without its test workspace',
  approval_without_request: 'an approval without its payment request',
  approved_but_open:
    'a payment request with approvals that is still draft or pending (rejected, paid or cancelled after its approval is possible)',
  delivery_without_offer: 'a delivery attempt without its offer',
  wrong_summary: 'an offer that counts more or fewer delivery attempts than it has',
  stuck_delivery: 'a delivery attempt queued or sending for more than an hour',
  claim_without_effect: 'an Idempotency-Key that is remembered for something that does not exist',
  effect_without_author: 'an item that does not name its author',
  author_is_no_token: 'an item whose author is a token that does not exist',
  request_with_two_effects: 'a request id under which two unlike effects were made',
} as const;

/** An item that must exist, and what to say if it does not. */
export interface Expectation {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly violation: Violation;
}

/** What `verify` found. */
export interface Findings {
  readonly violations: readonly Violation[];
  readonly expectations: readonly Expectation[];
}

/** What is wrong with a partition, as far as it shows, and what else must exist. */
export const inspect = (partition: readonly Item[], now: Date): Findings => {
  const misshapen = partition.flatMap(shape);
  // What is not even an offer or a request cannot be compared with what lies beside it.
  if (misshapen.length > 0) return { violations: misshapen, expectations: [] };
  return {
    violations: [
      ...partition.flatMap((item) => overdue(item, now)),
      ...partition.flatMap(authorless),
      ...approvals(partition),
      ...deliveries(partition),
    ],
    expectations: [...partition.flatMap(testWorkspace), ...partition.flatMap(effect)],
  };
};

/** A violation by an item. */
export const violation = (code: ViolationCode, { pk, sk }: Item, detail: string): Violation => ({
  code,
  pk: String(pk),
  sk: String(sk),
  detail,
});

const shape = (item: Item): Violation[] => {
  const reason = misshapen(item) ?? unreadableResult(item);
  return reason ? [violation('misshapen_item', item, `${item.pk} ${item.sk}: ${reason}`)] : [];
};

const unreadableResult = (item: Item): string | undefined => {
  try {
    effectKey(item);
    return undefined;
  } catch {
    return 'The result of the claim cannot be read.';
  }
};

const provisioningLimitMs = 10 * 60 * 1000;
const deliveryLimitMs = 60 * 60 * 1000;

const relayAgain = '`outbox relay` sends its message again.';
const lookAtItsMessage = '`dead-letters list --queue delivery` may have its message.';

const overdue = (item: Item, now: Date): Violation[] => {
  const { type, id, status, created, updated } = item;
  const ageMs = (since: unknown) => now.getTime() - Date.parse(String(since));
  if (type === 'SANDBOX' && status === 'provisioning' && ageMs(created) > provisioningLimitMs) {
    const detail = `${id} has been provisioning since ${created}: ${relayAgain}`;
    return [violation('stuck_sandbox', item, detail)];
  }
  const underWay = status === 'queued' || status === 'sending';
  if (type === 'DELIVERY' && underWay && ageMs(updated) > deliveryLimitMs) {
    const advice = status === 'queued' ? relayAgain : lookAtItsMessage;
    const detail = `${id} has been ${status} since ${updated}: ${advice}`;
    return [violation('stuck_delivery', item, detail)];
  }
  return [];
};

const authorless = (item: Item): Violation[] => {
  const { type, id, author } = item;
  // A claim lies beside its effect, which has the author; a record in progress has no type. What the
  // smoke test registers is removed with its run.
  if (!type || type === 'CLAIM' || type === 'SMOKE' || author) return [];
  const what = `${String(type).toLowerCase().replace('_', ' ')} ${id ?? ''}`.trim();
  return [violation('effect_without_author', item, `The ${what} has no author.`)];
};

const approvals = (partition: readonly Item[]): Violation[] => {
  const all = partition.filter(({ type }) => type === 'APPROVAL');
  const request = partition.find(({ type }) => type === 'PAYMENT_REQUEST');
  if (!request) {
    return all.map((each) =>
      violation(
        'approval_without_request',
        each,
        `${each.id} approves ${each.payment_request}, which does not exist.`,
      ),
    );
  }
  const open = request.status === 'draft' || request.status === 'pending';
  if (all.length === 0 || !open) return [];
  const detail = `${request.id} is ${request.status} and has approvals, ${all.length} of them.`;
  return [violation('approved_but_open', request, detail)];
};

const deliveries = (partition: readonly Item[]): Violation[] => {
  const attempts = partition.filter(({ type }) => type === 'DELIVERY');
  const offer = partition.find(({ type }) => type === 'OFFER');
  if (!offer) {
    return attempts.map((each) =>
      violation(
        'delivery_without_offer',
        each,
        `${each.id} delivers ${each.offer}, which does not exist.`,
      ),
    );
  }
  if (offer.attempts === attempts.length) return [];
  const detail = `${offer.id} counts attempts: ${offer.attempts}; there are ${attempts.length}.`;
  return [violation('wrong_summary', offer, detail)];
};

const testWorkspace = (item: Item): Expectation[] => {
  if (item.type !== 'SANDBOX' || item.status !== 'ready') return [];
  const { id, sandbox_workspace } = item;
  const detail = `${id} is ready, and its workspace ${sandbox_workspace} does not exist.`;
  return [
    {
      key: keys.workspace(String(sandbox_workspace)),
      violation: violation('sandbox_without_workspace', item, detail),
    },
  ];
};

const effect = (item: Item): Expectation[] => {
  const key = effectKey(item);
  if (!key) return [];
  const { operation, key: intent, workspace } = item;
  const detail = `The key ${JSON.stringify(intent)} of ${workspace} has done ${operation}, but there is no ${key.sk} in ${key.pk}.`;
  return [{ key, violation: violation('claim_without_effect', item, detail) }];
};

/** Where the effect of a claim is: the answer that the claim keeps names it. */
const effectKey = ({ type, operation, result }: Item) => {
  if (type !== 'CLAIM') return undefined;
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
