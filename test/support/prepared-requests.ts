import { type Key, readPartitionFrom } from '../../bin/admin/table/scan.ts';
import type { OperationRequest } from '../../functions/contract/operation.ts';
import type { Route } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { keys } from '../../functions/store/keys.ts';
import { approve, create, type KeyedOperation, resend } from './keyed-operations.ts';
import { newOffer, newPaymentRequest, type Tenant } from './tenants.ts';

/** An item with an identifier. */
export type EffectItem = Record<string, unknown> & { readonly id: string };

/** A request of one intent, ready to be sent as often as a test likes. */
export interface PreparedRequest {
  readonly route: Route;
  readonly request: OperationRequest;
  readonly token: string;
  /** A text that every write of this intent holds, and no other. */
  readonly about: string;
  /** The identifiers of what has come of it, in the table. */
  readonly effects: () => Promise<string[]>;
}

/** An operation that takes an Idempotency-Key, and what a test needs to send it. */
export interface PreparableOperation extends Pick<KeyedOperation, 'route' | 'effectOf'> {
  readonly name: string;
  /** The logical id of its function. */
  readonly lambda: string;
  readonly prepare: (tenant: Tenant) => Promise<PreparedRequest>;
}

const prepared = (
  { route }: KeyedOperation,
  request: OperationRequest,
  { token }: Tenant,
  about: string,
  items: () => Promise<EffectItem[]>,
): PreparedRequest => ({
  route,
  request,
  token,
  about,
  effects: async () => (await items()).map(({ id }) => id),
});

/** The first approval of a request writes its status too; the others are a single item each. */
const approval = (name: string, before: 'pending' | 'approved'): PreparableOperation => ({
  ...approve,
  name,
  lambda: 'ApprovePaymentRequest',
  prepare: async (tenant) => {
    const { id } = await newPaymentRequest(tenant.workspace, { status: before });
    const request = approve.request({ id, manager: tenant.manager });
    return prepared(approve, request, tenant, id, () => itemsUnder(keys.approval(id, '')));
  },
});

export const preparableOperations: readonly PreparableOperation[] = [
  {
    ...resend,
    name: 'resend',
    lambda: 'ResendOffer',
    prepare: async (tenant) => {
      const { id } = await newOffer(tenant.workspace);
      const request = resend.request({ id });
      return prepared(resend, request, tenant, id, () => itemsUnder(keys.delivery(id, '')));
    },
  },
  approval('approve', 'pending'),
  approval('approve again', 'approved'),
  {
    ...create,
    name: 'create',
    lambda: 'CreateSandbox',
    prepare: async (tenant) => {
      const name = `Sandbox ${newOpaque()}`;
      return prepared(create, create.request({ name }), tenant, name, async () =>
        (await itemsUnder(keys.sandbox(tenant.workspace, ''))).filter((item) => item.name === name),
      );
    },
  },
];

/** The items whose key starts like this one. */
export const itemsUnder = (key: Key) => readPartitionFrom(key) as Promise<EffectItem[]>;
