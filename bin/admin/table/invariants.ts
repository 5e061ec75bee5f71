import type { Act } from '../../../functions/domain/author.ts';
import { countOf } from '../terminal/print.ts';
import { shapeFaultOf } from './kinds.ts';
import { needOf, unreadableResult } from './needs.ts';
import type { Item } from './scan.ts';
import { isBeginning } from './statuses.ts';

/** A state of the table that is impossible, or has lasted too long. */
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
  misshapen_item: 'an item that does not match its schema',
  stuck_sandbox:
    'a sandbox that has been provisioning for more than ten minutes, or since its import',
  sandbox_without_workspace: 'a ready sandbox without its test workspace',
  approval_without_request: 'an approval without its payment request',
  approved_but_open:
    'a payment request with approvals that is still draft or pending (an approved request may become rejected, paid or cancelled)',
  delivery_without_offer: 'a delivery attempt without its offer',
  sent_but_draft: 'an offer with delivery attempts that is still a draft',
  wrong_summary: 'an offer that counts more or fewer delivery attempts than it has',
  stuck_delivery: 'a delivery attempt queued or sending for more than an hour, or since its import',
  claim_without_effect: 'a claim (the record of an Idempotency-Key) whose effect does not exist',
  effect_without_author: 'an item that does not name its author',
  author_is_no_token:
    'an item whose author is a token that does not exist, and that no imported item names',
  request_with_two_effects: 'a request id with two different effects',
} as const;

/** An item that must exist, and what to say if it does not. */
export interface Expectation {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly violation: Violation;
}

/** The violations that a partition shows, and the other items that must exist. */
export const inspect = (
  partition: readonly Item[],
  now: Date,
): { readonly violations: Violation[]; readonly expectations: Expectation[] } => {
  const misshapen = partition.flatMap(shape);
  // A malformed offer or request cannot be compared with the other items of its partition.
  if (misshapen.length > 0) return { violations: misshapen, expectations: [] };
  return {
    violations: [
      ...partition.flatMap((item) => overdue(item, now)),
      ...partition.flatMap(authorless),
      ...orphans(partition),
      ...approvals(partition),
      ...deliveries(partition),
    ],
    expectations: partition.flatMap(expectation),
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
  const reason = shapeFaultOf(item) ?? unreadableResult(item);
  return reason ? [violation('misshapen_item', item, `${item.pk} ${item.sk}: ${reason}`)] : [];
};

/** How long an item may wait, and the code that reports a longer wait. */
const waits = {
  SANDBOX: { limitMs: 10 * 60 * 1000, code: 'stuck_sandbox' },
  DELIVERY: { limitMs: 60 * 60 * 1000, code: 'stuck_delivery' },
} as const;

const overdue = (item: Item, now: Date): Violation[] => {
  const { type, id, status, created, updated, imported } = item;
  if ((type !== 'SANDBOX' && type !== 'DELIVERY') || !isBeginning(item)) return [];
  const reached = String(type === 'SANDBOX' ? created : updated);
  // An imported item has waited in this table since its import.
  const since = [reached, (imported as Act | undefined)?.at ?? reached].sort().at(-1);
  const { limitMs, code } = waits[type];
  if (now.getTime() - Date.parse(String(since)) <= limitMs) return [];
  const advice =
    status === 'sending'
      ? '`dead-letters list --queue delivery` may have its message.'
      : '`outbox relay` sends its message again.';
  return [violation(code, item, `${id} has been ${status} since ${since}: ${advice}`)];
};

const authorless = (item: Item): Violation[] => {
  const { type, id, author } = item;
  // A claim lies beside its effect, which has the author; a record in progress has no type.
  if (!type || type === 'CLAIM' || author) return [];
  const what = `${String(type).toLowerCase().replace('_', ' ')} ${id ?? ''}`.trim();
  return [violation('effect_without_author', item, `The ${what} has no author.`)];
};

/** What lies in a partition without the payment request or the offer that it belongs to. */
const orphans = (partition: readonly Item[]): Violation[] =>
  partition.flatMap((item) => {
    const key = needOf(item)?.key;
    if (key?.pk !== item.pk || partition.some(({ sk }) => sk === key?.sk)) return [];
    const { type, id, payment_request, offer } = item;
    const [code, what] =
      type === 'APPROVAL'
        ? (['approval_without_request', `an approval of ${payment_request}`] as const)
        : (['delivery_without_offer', `a delivery attempt of ${offer}`] as const);
    return [violation(code, item, `${id} is ${what}, which does not exist.`)];
  });

const approvals = (partition: readonly Item[]): Violation[] => {
  const { length } = partition.filter(({ type }) => type === 'APPROVAL');
  const request = partition.find(({ type }) => type === 'PAYMENT_REQUEST');
  if (!request || length === 0 || !isBeginning(request)) return [];
  const detail = `${request.id} is ${request.status} and has ${countOf(length, 'approval')}.`;
  return [violation('approved_but_open', request, detail)];
};

const deliveries = (partition: readonly Item[]): Violation[] => {
  const { length } = partition.filter(({ type }) => type === 'DELIVERY');
  const offer = partition.find(({ type }) => type === 'OFFER');
  if (!offer) return [];
  const counted = `${offer.id} counts ${countOf(Number(offer.attempts), 'delivery attempt')} and has ${length}.`;
  const draft = `${offer.id} is a draft and has ${countOf(length, 'delivery attempt')}.`;
  return [
    ...(offer.attempts === length ? [] : [violation('wrong_summary', offer, counted)]),
    ...(length > 0 && isBeginning(offer) ? [violation('sent_but_draft', offer, draft)] : []),
  ];
};

/** What lies in its own partition is inspected with the item. */
const expectation = (item: Item): Expectation[] => {
  const need = needOf(item);
  if (!need || need.key.pk === item.pk) return [];
  const [code, says] =
    item.type === 'CLAIM'
      ? (['claim_without_effect', claimed(item)] as const)
      : (['sandbox_without_workspace', `${item.id} is ready`] as const);
  const detail = `${says}, but there is no ${need.what}.`;
  return [{ key: need.key, violation: violation(code, item, detail) }];
};

const claimed = ({ operation, key, workspace }: Item) =>
  `The key ${JSON.stringify(key)} of ${workspace} is completed for ${operation}`;
