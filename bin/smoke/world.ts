import { randomBytes, randomUUID } from 'node:crypto';
import { isTestWorkspace } from '../../functions/domain/caller.ts';
import type { Offer } from '../../functions/domain/offer.ts';
import type { PaymentRequest } from '../../functions/domain/payment-request.ts';
import { scopes as allScopes, type Route } from '../../functions/domain/routes.ts';
import { tokenText } from '../../functions/domain/token-form.ts';
import { claimKey } from '../../functions/idempotency/intent.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { sha256 } from '../../functions/runtime/sha256.ts';
import { keys } from '../../functions/store/keys.ts';
import { managerItem } from '../../functions/store/managers.ts';
import { offerItem } from '../../functions/store/offers.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { tokenItem } from '../../functions/store/tokens.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import type { Service } from '../admin/connect.ts';
import { samplePaymentRequest } from '../admin/sample-payment-request.ts';
import { accountItem } from '../admin/table/accounts.ts';
import { revokeToken } from '../admin/table/tokens.ts';
import { createOwned, register } from './owned.ts';

/** A workspace with an account, a manager and a token that has every scope. */
export interface Tenant {
  readonly workspace: string;
  readonly account: string;
  readonly manager: string;
  readonly token: string;
}

/** Everything that a run has for itself in a service whose table it can reach. */
export interface World {
  /** A ULID: its time is when the run started. */
  readonly run: string;
  readonly live: Tenant;
  /** Another live workspace, of another account. */
  readonly other: Tenant;
  /** A test workspace, whose mail is not sent. */
  readonly test: Tenant;
  readonly service: Service;
  /** Whether it runs on AWS, where SES reports what becomes of a mail. */
  readonly deployed: boolean;
}

/** Names are recognisable, for who finds them in a list. */
const nameOf = (run: string, tenant: string) => `smoke_${run}_${tenant}`;

/** Makes three tenants. */
export const createWorld = async (
  run: string,
  service: Service,
  deployed: boolean,
): Promise<World> => {
  const tenants = {
    live: newTenant(`wsp_${nameOf(run, 'live')}`),
    other: newTenant(`wsp_${nameOf(run, 'other')}`),
    test: newTenant(`wsp_test_${nameOf(run, 'test')}`),
  };
  await createOwned({ run, service }, Object.values(tenants).flatMap(tenantItems));
  return { run, ...tenants, service, deployed };
};

const newTenant = (workspace: string): Tenant => ({
  workspace,
  account: workspace.replace('wsp_', 'acc_'),
  manager: randomUUID(),
  token: newSecret(workspace),
});

const tenantItems = (tenant: Tenant) => {
  const { workspace, account, manager, token } = tenant;
  const created = now();
  return [
    accountItem({ id: account, name: 'Smoke test', created }),
    workspaceItem({ id: workspace, account, name: 'Smoke test', created }),
    managerItem({ id: manager, account, created }),
    itemOfToken(token, tenant),
  ];
};

const newSecret = (workspace: string) =>
  tokenText(isTestWorkspace(workspace) ? 'test' : 'live', randomBytes(32).toString('base64url'));

interface TokenFields {
  readonly scopes?: readonly string[];
  readonly expires_at?: string;
}

const hourMs = 60 * 60 * 1000;

/** Tokens end soon, whatever becomes of the run. */
const itemOfToken = (
  secret: string,
  { workspace, account }: Pick<Tenant, 'workspace' | 'account'>,
  {
    scopes = allScopes,
    expires_at = new Date(Date.now() + hourMs).toISOString(),
  }: TokenFields = {},
) =>
  tokenItem(secret, {
    id: `tok_${newOpaque()}`,
    workspace,
    account,
    scopes: scopes.join(' '),
    expires_at,
    created: now(),
  });

/** Another token of a workspace. */
export const newToken = async (
  world: World,
  tenant: Pick<Tenant, 'workspace' | 'account'>,
  fields?: TokenFields,
): Promise<string> => {
  const secret = newSecret(tenant.workspace);
  await createOwned(world, [itemOfToken(secret, tenant, fields)]);
  return secret;
};

/** Revokes a token, as the operators' command does. */
export const revoke = async ({ service }: World, token: string): Promise<void> => {
  const { actor, request, version } = await service.operator();
  await revokeToken(keys.token(sha256(token)), { at: now(), actor, request, version });
};

/** Another pending payment request of a workspace. */
export const newPaymentRequest = async (
  world: World,
  { workspace }: Tenant,
  fields: Partial<PaymentRequest> = {},
): Promise<PaymentRequest> => {
  const request = samplePaymentRequest({
    id: `ptr_${nameOf(world.run, newOpaque())}`,
    worker: 'wr_smoke',
    reference: 'SMOKE-1',
    created: now(),
    ...fields,
  });
  await createOwned(world, [paymentRequestItem(workspace, request)]);
  return request;
};

/** Another offer of a workspace, which has been sent. */
export const newOffer = async (
  world: World,
  { workspace }: Tenant,
  fields: Partial<Offer> = {},
): Promise<Offer> => {
  const offer: Offer = {
    id: `ofr_${nameOf(world.run, newOpaque())}`,
    status: 'sent',
    recipient_email: 'success@simulator.amazonses.com',
    attempts: 0,
    created: now(),
    updated: now(),
    ...fields,
  };
  await createOwned(world, [offerItem(workspace, offer)]);
  return offer;
};

/** An Idempotency-Key for requests of a workspace to these operations. */
export const newKey = async (
  world: World,
  tenant: Tenant,
  ...routes: readonly Route[]
): Promise<string> => {
  const key = `smoke-${newOpaque()}`;
  await registerKey(world, tenant, key, ...routes);
  return key;
};

/** Registers the claims that the service makes on a key, one for each operation. */
export const registerKey = (
  { run }: World,
  { workspace }: Tenant,
  key: string,
  ...routes: readonly Route[]
): Promise<void> =>
  register(
    run,
    ...routes.map(({ functionName }) => claimKey({ workspace, operation: functionName, key }).pk),
  );

const now = () => new Date().toISOString();
