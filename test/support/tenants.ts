import { randomUUID } from 'node:crypto';
import { samplePaymentRequest } from '../../bin/admin/sample-payment-request.ts';
import { issueToken } from '../../bin/admin/table/tokens.ts';
import type { Offer } from '../../functions/domain/offer.ts';
import type { PaymentRequest } from '../../functions/domain/payment-request.ts';
import { scopes } from '../../functions/domain/routes.ts';
import { fixtures, type Sandbox } from '../../functions/domain/sandbox.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { managerItem } from '../../functions/store/managers.ts';
import { offerItem } from '../../functions/store/offers.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { sandboxItem, saveReadySandbox } from '../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { author } from './author.ts';
import { putAll } from './put-all.ts';

/** A company of its own, so that tests share a service and nothing else. */
export interface Tenant {
  readonly workspace: string;
  readonly account: string;
  readonly token: string;
  readonly manager: string;
}

export const newTenant = async (): Promise<Tenant> => {
  const opaque = newOpaque();
  const [workspace, account] = [`wsp_${opaque}`, `acc_${opaque}`];
  const owner = { id: workspace, account, name: 'Company', created: now() };
  await commitNew({ ...workspaceItem(owner), author });
  return {
    workspace,
    account,
    token: await newToken({ workspace, account }),
    manager: await newManager(account),
  };
};

export const newToken = (
  { workspace, account }: { workspace: string; account: string },
  { allowed = scopes.join(' '), expires_at = '2099-01-01T00:00:00.000Z' } = {},
): Promise<string> =>
  issueToken(
    { id: `tok_${newOpaque()}`, workspace, account, scopes: allowed, expires_at, created: now() },
    author,
  );

export const newManager = async (account: string): Promise<string> => {
  const id = randomUUID();
  await commitNew({ ...managerItem({ id, account, created: now() }), author });
  return id;
};

/** A pending payment request, or one that is as `fields` say, which is not saved. */
export const pendingPaymentRequest = (fields: Partial<PaymentRequest> = {}): PaymentRequest =>
  samplePaymentRequest({
    id: `ptr_${newOpaque()}`,
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
  await commitNew({ ...paymentRequestItem(workspace, request), author });
  return request;
};

/** A sent offer, or one that is as `fields` say, which is not saved. */
export const sentOffer = (fields: Partial<Offer> = {}): Offer => {
  const id = `ofr_${newOpaque()}`;
  return {
    id,
    status: 'sent',
    recipient_email: `${id.toLowerCase()}@example.com`,
    attempts: 0,
    created: now(),
    updated: now(),
    ...fields,
  };
};

export const newOffer = async (workspace: string, fields: Partial<Offer> = {}): Promise<Offer> => {
  const offer = sentOffer(fields);
  await commitNew({ ...offerItem(workspace, offer), author });
  return offer;
};

/** Sandboxes that no message is on its way for, oldest first. */
export const newSandboxes = async (
  workspace: string,
  count: number,
  status: Sandbox['status'] = 'ready',
): Promise<Sandbox[]> => {
  const opaques = Array.from({ length: count }, newOpaque).sort();
  const sandboxes = opaques.map(
    (opaque): Sandbox => ({
      id: `sbx_${opaque}`,
      name: `Sandbox ${opaque}`,
      status,
      workspace,
      sandbox_workspace: `wsp_test_${opaque}`,
      created: now(),
      updated: now(),
    }),
  );
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
