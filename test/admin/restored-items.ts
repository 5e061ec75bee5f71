import { type Item, scan } from '../../bin/admin/table/scan.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import { presentOffer } from '../../functions/domain/offer.ts';
import { fixtures } from '../../functions/domain/sandbox.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { managerItem } from '../../functions/store/managers.ts';
import { deliveryItem, offerItem } from '../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { fixtureItems, sandboxItem } from '../../functions/store/sandboxes.ts';
import { tokenItem } from '../../functions/store/tokens.ts';
import { newAttempt } from '../support/delivery-attempts.ts';
import { putAll } from '../support/put-all.ts';
import {
  approvalBy,
  pendingPaymentRequest,
  sentOffer,
  waitingSandbox,
} from '../support/tenants.ts';
import { approvalClaimItem, claimItem } from './claim-items.ts';
import { adminAt, stackFile } from './run-admin.ts';

export const workspace = 'wsp_restored';
export const account = 'acc_restored';
export const now = new Date().toISOString();
export const tokenId = `tok_${newOpaque()}`;
/** Each item is the effect of a request of its own. */
export const by = () => newAuthor(tokenId, newOpaque());

export const put = async (TableName: string, ...items: readonly Item[]): Promise<void> => {
  const made = items.map((item) => ({ ...(item.type !== 'CLAIM' && { author: by() }), ...item }));
  await putAll(made, TableName);
};

export const itemsOf = async (TableName: string): Promise<Map<unknown, Item>> => {
  const items = await Array.fromAsync(scan({ TableName }));
  return new Map(items.map((item) => [item.id ?? item.key, item]));
};

export const secret = newOpaque();
export const token = {
  ...tokenItem(secret, {
    id: tokenId,
    workspace,
    account,
    scopes: '',
    expires_at: '2099-01-01T00:00:00.000Z',
    created: now,
  }),
  author: newAuthor('operator:test', 'run_token'),
};

export const [kept, removed] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
];
export const manager = (id: string | undefined) =>
  managerItem({ id: String(id), account, created: '2026-01-01T00:00:00.000Z' });
/** Who removed it, in the table that was in service. */
export const removal = { ...newAuthor('operator:test', 'run_removal'), at: now };

/** A payment request with an approval and the claim on it. */
export const approvedRequest = () => {
  const request = pendingPaymentRequest({ status: 'approved' });
  const approval = approvalBy(String(kept), request.id, { created: now });
  return {
    request: paymentRequestItem(workspace, request),
    approval: approvalItem(approval),
    claim: approvalClaimItem(workspace, request, approval.id),
  };
};

/** A sent offer with attempts in these statuses, and the claims on them. */
export const offerWith = (...statuses: readonly string[]) => {
  const offer = sentOffer({ attempts: statuses.length });
  const attempts = statuses.map((status) => ({
    ...newAttempt(offer.id, now),
    status: status as 'queued',
  }));
  return {
    offer: offerItem(workspace, offer),
    attempts: attempts.map((attempt) => deliveryItem(workspace, attempt)),
    claims: attempts.map((attempt) =>
      claimItem(workspace, 'resend-offer', presentOffer(offer, attempt)),
    ),
  };
};

export const readySandbox = (): Item[] => {
  const sandbox = waitingSandbox(workspace, now);
  const author = by();
  const items = [
    sandboxItem({ ...sandbox, status: 'ready' }),
    ...fixtureItems(fixtures(sandbox, now)),
  ];
  return items.map((item) => ({ ...item, author }));
};

export const restoring = ['restore', '--at', now, '--yes', '--json'];

/** Runs `restore` beside a table in service. */
export const restoreBeside = async (inService: string, ...args: string[]) => {
  const started = await adminAt(stackFile({ table: inService }), ...restoring, ...args);
  return { ...started, report: started.stdout ? JSON.parse(started.stdout) : undefined };
};
