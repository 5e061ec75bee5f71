import { type Key, readPartitionFrom } from '../../bin/admin/table/scan.ts';
import { approvePaymentRequest } from '../../functions/approve-payment-request.contract.ts';
import type { Operation, OperationRequest } from '../../functions/contract/operation.ts';
import { createSandbox } from '../../functions/create-sandbox.contract.ts';
import type { Item } from '../../functions/domain/item.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { resendOffer } from '../../functions/resend-offer.contract.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { offerItem } from '../../functions/store/offers.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { ownPartitions } from './given-service.ts';
import { pendingPaymentRequest, sentOffer, type Tenant, type TenantIds } from './tenants.ts';
import { author } from './test-author.ts';

/** Something new that a request is about, which is not saved. */
interface NewTarget {
  /** A text that every write about it holds, and no other. */
  readonly about: string;
  readonly items: (tenant: TenantIds) => Item[];
  readonly requestBy: (manager: string) => OperationRequest;
  /** With what the keys of its effects start. */
  readonly effectsUnder: (tenant: TenantIds) => Key;
}

/** A request of one intent, ready to be sent as often as a test likes. */
export interface PreparedRequest extends Pick<NewTarget, 'about'>, Pick<Tenant, 'token'> {
  readonly route: Route;
  readonly request: OperationRequest;
  /** The identifiers of what has come of it, in the table. */
  readonly effects: () => Promise<string[]>;
}

/** An operation that takes an Idempotency-Key: its requests, and what its responses promise. */
// biome-ignore lint/suspicious/noExplicitAny: targets differ from operation to operation.
export interface KeyedOperation<Target = any> extends Pick<Operation<Target>, 'request'> {
  readonly name: string;
  /** The logical id of its function. */
  readonly lambda: string;
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
  /** @param members of the item, over those that it has */
  readonly newTarget: (members?: object) => NewTarget;
  readonly prepare: (tenant: Tenant) => Promise<PreparedRequest>;
}

const keyed = <Target>(
  { request }: Operation<Target>,
  rest: Omit<KeyedOperation<Target>, 'request' | 'prepare'>,
): KeyedOperation<Target> => ({
  ...rest,
  request,
  prepare: async (tenant) => {
    const { about, items, requestBy, effectsUnder } = rest.newTarget();
    for (const item of items(tenant)) {
      ownPartitions(String(item.pk));
      await commitNew({ ...item, author });
    }
    const effects = async () => {
      const all = await itemsUnder(effectsUnder(tenant));
      return all.filter((item) => JSON.stringify(item).includes(about)).map(({ id }) => id);
    };
    return { ...rest, about, effects, request: requestBy(tenant.manager), token: tenant.token };
  },
});

export const resend = keyed(resendOffer, {
  name: 'resend',
  lambda: 'ResendOffer',
  route: routes.resendOffer,
  effectType: 'DELIVERY',
  effectOf: ({ delivery }) => delivery.last_attempt.id,
  says: ({ delivery }, effects) => [delivery.attempts, effects.length],
  newTarget: (members) => {
    const offer = sentOffer({ recipient_email: 'worker@example.com', ...members });
    return {
      about: offer.id,
      items: ({ workspace }) => [offerItem(workspace, offer)],
      requestBy: () => resendOffer.request(offer),
      effectsUnder: () => keys.delivery(offer.id, ''),
    };
  },
});

/**
 * A response lists the approvals that there were at some time since its request, by identifier, and
 * its own last. Another that is committed between the two is not in it: approvals do not wait for
 * each other.
 */
const approval = (name: string, status: 'pending' | 'approved') =>
  keyed(approvePaymentRequest, {
    name,
    lambda: 'ApprovePaymentRequest',
    route: routes.approvePaymentRequest,
    effectType: 'APPROVAL',
    effectOf: ({ approvals }) => approvals.at(-1),
    says: ({ status, approvals }, effects) => [
      `${status} ${approvals}`,
      `approved ${[...effects.slice(0, -1).sort(), effects.at(-1)]}`,
    ],
    readsBefore: true,
    newTarget: (members) => {
      const request = pendingPaymentRequest({ status, worker: 'wr_1', ...members });
      return {
        about: request.id,
        items: ({ workspace }) => [paymentRequestItem(workspace, request)],
        requestBy: (manager) => approvePaymentRequest.request({ id: request.id, manager }),
        effectsUnder: () => keys.approval(request.id, ''),
      };
    },
  });

export const approve = approval('approve', 'pending');

/** The first approval of a request writes its status too; the others are a single item each. */
export const approveAgain = approval('approve-again', 'approved');

export const create = keyed(createSandbox, {
  name: 'create',
  lambda: 'CreateSandbox',
  route: routes.createSandbox,
  effectType: 'SANDBOX',
  effectOf: ({ id }) => id,
  says: ({ status }) => [status, 'provisioning'],
  newTarget: () => {
    const name = `Sandbox ${newOpaque()}`;
    return {
      about: name,
      items: () => [],
      requestBy: () => createSandbox.request({ name }),
      effectsUnder: ({ workspace }) => keys.sandbox(workspace, ''),
    };
  },
});

/** Each POST of the API, and each that writes otherwise. */
export const keyedOperations: readonly KeyedOperation[] = [resend, approve, approveAgain, create];

export const isSuccess = ({ status }: { readonly status: number }): boolean =>
  status === 200 || status === 201;

export type EffectItem = Item & { readonly id: string };

/** The items whose key starts like this one. */
export const itemsUnder = (key: Key) => readPartitionFrom(key) as Promise<EffectItem[]>;
