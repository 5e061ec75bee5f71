import { approvePaymentRequest } from '../../functions/approve-payment-request.contract.ts';
import type { Operation } from '../../functions/contract/operation.ts';
import { createSandbox } from '../../functions/create-sandbox.contract.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { resendOffer } from '../../functions/resend-offer.contract.ts';

/** An operation that takes an Idempotency-Key: its requests, and what its responses promise. */
// biome-ignore lint/suspicious/noExplicitAny: targets differ from operation to operation.
export interface KeyedOperation<Target = any> extends Pick<Operation<Target>, 'request'> {
  readonly route: Route;
  /** The type of the item that is its effect. */
  readonly effectType: 'DELIVERY' | 'APPROVAL' | 'SANDBOX';
  /** The identifier of the effect that a response is about. */
  // biome-ignore lint/suspicious/noExplicitAny: responses differ from operation to operation.
  readonly effectOf: (body: any) => string;
  /** What the response says of all effects that there are, and those it must say, this one last. */
  // biome-ignore lint/suspicious/noExplicitAny: responses differ from operation to operation.
  readonly says: (body: any, effects: readonly string[]) => readonly [unknown, unknown];
  /**
   * Whether a response may list the state of any time since its request, not only of its effect.
   */
  readonly readsBefore?: boolean;
}

const keyed = <Target>(
  { request }: Operation<Target>,
  rest: Omit<KeyedOperation<Target>, 'request'>,
): KeyedOperation<Target> => ({ request, ...rest });

export const resend = keyed(resendOffer, {
  route: routes.resendOffer,
  effectType: 'DELIVERY',
  effectOf: ({ delivery }) => delivery.last_attempt.id,
  says: ({ delivery }, effects) => [delivery.attempts, effects.length],
});

/**
 * A response lists the approvals that there were at some time since its request, by identifier, and
 * its own last. Another that is committed between the two is not in it: approvals do not wait for
 * each other.
 */
export const approve = keyed(approvePaymentRequest, {
  route: routes.approvePaymentRequest,
  effectType: 'APPROVAL',
  effectOf: ({ approvals }) => approvals.at(-1),
  says: ({ status, approvals }, effects) => [
    `${status} ${approvals}`,
    `approved ${[...effects.slice(0, -1).sort(), effects.at(-1)]}`,
  ],
  readsBefore: true,
});

export const create = keyed(createSandbox, {
  route: routes.createSandbox,
  effectType: 'SANDBOX',
  effectOf: ({ id }) => id,
  says: ({ status }) => [status, 'provisioning'],
});

export const isSuccess = ({ status }: { readonly status: number }): boolean =>
  status === 200 || status === 201;
