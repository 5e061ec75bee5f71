import { randomUUID } from 'node:crypto';
import { issueToken, newSecret, revokeToken } from '../../bin/admin/table/tokens.ts';
import { sampleOffer, samplePaymentRequest } from '../../bin/local-run/sample-items.ts';
import { smokeName } from '../../bin/smoke/smoke-names.ts';
import type { Offer } from '../../functions/domain/offer.ts';
import type { Approval, PaymentRequest } from '../../functions/domain/payment-request.ts';
import { scopes } from '../../functions/domain/routes.ts';
import {
  fixtures,
  newSandbox,
  type Sandbox,
  sandboxManager,
} from '../../functions/domain/sandbox.ts';
import { sha256 } from '../../functions/runtime/sha256.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { managerItem } from '../../functions/store/managers.ts';
import { offerItem } from '../../functions/store/offers.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { sandboxItem, saveReadySandbox } from '../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { given, ownPartitions, requireTable } from './given-service.ts';
import { putAll } from './put-all.ts';
import { author } from './test-author.ts';

export interface TenantIds {
  readonly workspace: string;
  readonly account: string;
}

/** A company of its own, so that tests share a service and nothing else. */
export interface Tenant extends TenantIds {
  readonly token: string;
  readonly manager: string;
}

/** What follows the prefix of an identifier. In a smoke run it names the run. */
const newName = () => (given?.run ? smokeName(given.run, newOpaque()) : newOpaque());

export const workspaceOf = new Map<string, string>();

/** Those of a company that the table does not hold. */
export const newTenantIds = (mode: 'live' | 'test' = 'live'): TenantIds => {
  const name = newName();
  return { workspace: `wsp_${mode === 'test' ? 'test_' : ''}${name}`, account: `acc_${name}` };
};

/** @param mode of its workspace: the mail of a test workspace is not sent */
export const newTenant = async (mode?: 'live' | 'test'): Promise<Tenant> => {
  if (given?.token) return noTenant;
  const { workspace, account } = newTenantIds(mode);
  ownPartitions(keys.workspace(workspace).pk);
  const owner = { id: workspace, account, name: 'Company', created: now() };
  const [token, manager] = await Promise.all([
    newToken({ workspace, account }),
    newManager(account),
    commitNew({ ...workspaceItem(owner), author }),
  ]);
  return { workspace, account, token, manager };
};

/** A test workspace with a payment request and an offer, to approve and to send again. */
export const usableTenant = async () => {
  if (given?.workspace) {
    const name = given.workspace.slice('wsp_test_'.length);
    const { token = '' } = given;
    return { token, manager: sandboxManager, request: `ptr_${name}`, offer: `ofr_${name}` };
  }
  const { workspace, token, manager } = await newTenant('test');
  const [request, offer] = [await newPaymentRequest(workspace), await newOffer(workspace)];
  return { token, manager, request: request.id, offer: offer.id };
};

/** Where nothing may be written: hooks can make this tenant; a test that reads it is skipped. */
const noTenant = Object.defineProperties(
  {},
  Object.fromEntries(
    ['workspace', 'account', 'token', 'manager'].map((name) => [name, { get: requireTable }]),
  ),
) as Tenant;

/** A tenant that sends offers again: to the local mailbox, and nowhere on AWS. */
export const newSender = (): Promise<Tenant> =>
  newTenant(given && !given.mailbox ? 'test' : 'live');

/** A token for requests that only read or are refused. */
export const anyToken = async (): Promise<string> => given?.token ?? (await newTenant()).token;

/** In a smoke run tokens end soon, whatever becomes of the run. */
const lifetimeMs = 60 * 60 * 1000;
const endOfTokens = () =>
  given ? new Date(Date.now() + lifetimeMs).toISOString() : '2099-01-01T00:00:00.000Z';

export const newToken = async (
  { workspace, account }: TenantIds,
  { allowed = scopes.join(' '), expires_at = endOfTokens(), created = now() } = {},
): Promise<string> => {
  const secret = newSecret({ workspace });
  ownPartitions(keys.token(sha256(secret)).pk);
  workspaceOf.set(secret, workspace);
  const id = `tok_${newOpaque()}`;
  const fields = { id, workspace, account, scopes: allowed, expires_at, created };
  return issueToken(fields, author, secret);
};

/** Revokes a token, as the operators' command does. */
export const revoke = (token: string): Promise<boolean> =>
  revokeToken(keys.token(sha256(token)), { at: now(), ...author });

export const newManager = async (account: string): Promise<string> => {
  const id = randomUUID();
  ownPartitions(keys.account(account).pk);
  await commitNew({ ...managerItem({ id, account, created: now() }), author });
  return id;
};

/** A pending payment request, or one that is as `fields` say, which is not saved. */
export const pendingPaymentRequest = (fields: Partial<PaymentRequest> = {}): PaymentRequest =>
  samplePaymentRequest({
    id: `ptr_${newName()}`,
    worker: `wr_${newOpaque()}`,
    reference: 'INV-1',
    created: now(),
    ...fields,
  });

export const newPaymentRequest = async (
  workspace: string,
  fields: Partial<PaymentRequest> = {},
): Promise<PaymentRequest> => {
  const request = pendingPaymentRequest(fields);
  ownPartitions(keys.paymentRequest(request.id).pk);
  await commitNew({ ...paymentRequestItem(workspace, request), author });
  return request;
};

/** A sent offer, or one that is as `fields` say, which is not saved. */
export const sentOffer = (fields: Partial<Offer> = {}): Offer => {
  const id = `ofr_${newName()}`;
  const recipient_email = `${id.toLowerCase()}@example.com`;
  return sampleOffer({ id, status: 'sent', recipient_email, created: now(), ...fields });
};

export const newOffer = async (workspace: string, fields: Partial<Offer> = {}): Promise<Offer> => {
  const offer = sentOffer(fields);
  ownPartitions(keys.offer(offer.id).pk);
  await commitNew({ ...offerItem(workspace, offer), author });
  return offer;
};

/** An approval that is not saved. */
export const approvalBy = (
  approver: string,
  payment_request: string,
  fields: Partial<Approval> = {},
): Approval => ({
  id: `apprdec_${newOpaque()}`,
  payment_request,
  approver,
  previous_status: 'pending',
  created: now(),
  ...fields,
});

/** A sandbox that waits for its provisioning, which is not saved. */
export const waitingSandbox = (workspace: string, created = now()): Sandbox =>
  newSandbox(workspace, { name: 'Sandbox' }, newOpaque(), created);

/** Sandboxes that no message is on its way for, oldest first. */
export const newSandboxes = async (
  workspace: string,
  count: number,
  status: Sandbox['status'] = 'ready',
): Promise<Sandbox[]> => {
  const opaques = Array.from({ length: count }, newOpaque).sort();
  const sandboxes = opaques.map((opaque) => ({
    ...newSandbox(workspace, { name: `Sandbox ${opaque}` }, opaque, now()),
    status,
  }));
  await putAll(sandboxes.map((sandbox) => ({ ...sandboxItem(sandbox), author })));
  return sandboxes;
};

/** What the consumer does. */
export const makeReady = (sandbox: Sandbox): Promise<void> =>
  saveReadySandbox(sandbox, fixtures(sandbox, now()), now(), author).catch((error: Error) => {
    // The service's own consumer was quicker.
    if (error.name !== 'Conflict') throw error;
  });

const now = () => new Date().toISOString();
