import {
  ApprovalId,
  DeliveryAttemptId,
  OfferId,
  PaymentRequestId,
  SandboxId,
  WorkspaceId,
} from '../../../functions/domain/identifiers.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { restoredResponse } from '../../../functions/idempotency/saved-response.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Key, keyOf } from './scan.ts';
import { shapeFaultOf } from './shapes.ts';

/** What `verify` looks for, by code. */
export const invariants = {
  misshapen_item: 'an item that does not match its schema, or does not name its author',
  stuck_sandbox: 'a sandbox that has been provisioning for more than ten minutes',
  sandbox_without_workspace: 'a ready sandbox without its test workspace',
  approved_but_open:
    'a payment request with approvals that is still draft or pending (an approved request may become rejected, paid or cancelled)',
  approval_without_request: 'an approval without its payment request',
  wrong_summary: 'an offer that counts more or fewer delivery attempts than it has',
  delivery_without_offer: 'a delivery attempt without its offer',
  stuck_delivery: 'a delivery attempt that has been queued or sending for more than two hours',
  claim_without_effect: 'a claim (the record of an Idempotency-Key) whose effect does not exist',
  left_by_smoke_test:
    'one of these in what a run of the smoke test has created, once for each run: it was killed, or is under way',
} as const;

/** A state of the table that is impossible, or has lasted too long. */
export interface Violation {
  readonly code: keyof typeof invariants;
  /** The item that it was found on. */
  readonly pk: string;
  readonly sk: string;
  readonly detail: string;
}

/** An item that must exist, and what to report if it does not. */
export interface Expectation {
  readonly key: Key;
  readonly violation: Violation;
}

const violation = (code: Violation['code'], item: Item, detail: string): Violation => ({
  code,
  ...keyOf(item),
  detail,
});

/** The violations that a partition shows, and the other items that must exist. */
export const inspect = (
  partition: readonly Item[],
  now: Date,
): { readonly violations: readonly Violation[]; readonly expectations: readonly Expectation[] } => {
  const misshapen = partition.flatMap(misshapenIn);
  // A malformed offer or request cannot be compared with the other items of its partition.
  if (misshapen.length > 0) return { violations: misshapen, expectations: [] };
  const needs = partition.flatMap((item) => needOf(item) ?? []);
  const isHere = ({ key }: Expectation) => key.pk === partition[0]?.pk;
  const isMissing = ({ key }: Expectation) => !partition.some(({ sk }) => sk === key.sk);
  const missing = needs.filter(isHere).filter(isMissing);
  return {
    violations: [
      ...partition.flatMap((item) => violationsOf(item, partition, now)),
      ...missing.map((need) => need.violation),
    ],
    expectations: needs.filter((need) => !isHere(need)),
  };
};

const misshapenIn = (item: Item): Violation[] => {
  const fault = shapeFaultOf(item) ?? resultFaultOf(item);
  return fault ? [violation('misshapen_item', item, `${item.pk} ${item.sk}: ${fault}`)] : [];
};

const resultFaultOf = (item: Item): string | undefined => {
  try {
    needOf(item);
    return undefined;
  } catch {
    return 'the result is not a response of its endpoint';
  }
};

/** @throws when the result of a claim is not a response of its endpoint */
const needOf = (item: Item): Expectation | undefined => {
  const { type, id, status } = item;
  const need = (code: Violation['code'], key: Key, detail: string): Expectation => ({
    key,
    violation: violation(code, item, detail),
  });
  if (type === 'APPROVAL') {
    const request = String(item.payment_request);
    const detail = `${id} is an approval of ${request}, which does not exist.`;
    return need('approval_without_request', keys.paymentRequest(request), detail);
  }
  if (type === 'DELIVERY') {
    const offer = String(item.offer);
    const detail = `${id} is a delivery attempt of ${offer}, which does not exist.`;
    return need('delivery_without_offer', keys.offer(offer), detail);
  }
  if (type === 'SANDBOX' && status === 'ready') {
    const workspace = String(item.sandbox_workspace);
    const detail = `${id} is ready, but there is no workspace ${workspace}.`;
    return need('sandbox_without_workspace', keys.workspace(workspace), detail);
  }
  const effect = type === 'CLAIM' && effectKey(item);
  if (!effect) return undefined;
  const key = JSON.stringify(item.key);
  const detail = `The key ${key} of ${item.workspace} is completed for ${item.endpoint}, but there is no ${effect.sk} in ${effect.pk}.`;
  return need('claim_without_effect', effect, detail);
};

/** Where the effect of a claim is: the response that the claim keeps names it. */
const effectKey = (item: Item): Key | undefined => {
  const response = restoredResponse(item.result);
  switch (item.endpoint) {
    case 'approve-payment-request':
      return keys.approval(
        PaymentRequestId.parse(response.id),
        ApprovalId.parse(response.approvals.at(-1)),
      );
    case 'create-sandbox':
      return keys.sandbox(WorkspaceId.parse(response.workspace), SandboxId.parse(response.id));
    case 'resend-offer': {
      const { id } = response.delivery.last_attempt;
      return keys.delivery(OfferId.parse(response.id), DeliveryAttemptId.parse(id));
    }
    default:
      return undefined;
  }
};

const minuteMs = 60_000;

/** What is wrong with an item beside the others of its partition. */
const violationsOf = (item: Item, partition: readonly Item[], now: Date): Violation[] => {
  const { type, id, status, attempts } = item;
  const found = (code: Violation['code'], detail: string) => violation(code, item, detail);
  const stuck = (code: Violation['code'], since: unknown, minutes: number): Violation[] => {
    if (now.getTime() - Date.parse(String(since)) <= minutes * minuteMs) return [];
    const advice =
      status === 'sending'
        ? 'its message may be a dead letter of the queue delivery'
        : '`outbox relay` sends its message again';
    return [found(code, `${id} has been ${status} since ${since}: ${advice}.`)];
  };
  if (type === 'SANDBOX' && status === 'provisioning')
    return stuck('stuck_sandbox', item.created, 10);
  // While SES makes it wait, an attempt is tried once an hour.
  if (isUnderWay(item)) return stuck('stuck_delivery', item.updated, 120);
  if (type === 'PAYMENT_REQUEST' && (status === 'draft' || status === 'pending')) {
    if (!partition.some((each) => each.type === 'APPROVAL')) return [];
    return [found('approved_but_open', `${id} is ${status} and has approvals.`)];
  }
  if (type !== 'OFFER') return [];
  const { length } = partition.filter((each) => each.type === 'DELIVERY');
  const counted = `${id} counts ${attempts} delivery attempts, and the table has ${length}.`;
  return attempts === length ? [] : [found('wrong_summary', counted)];
};

/** Whether an item is a delivery attempt that is still to be mailed, or being mailed. */
export const isUnderWay = ({ type, status }: Item): boolean =>
  type === 'DELIVERY' && (status === 'queued' || status === 'sending');
