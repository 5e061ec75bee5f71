import { demo } from '../../functions/contract/demo.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import type { Offer } from '../../functions/domain/offer.ts';
import type { PaymentRequest } from '../../functions/domain/payment-request.ts';
import { scopes } from '../../functions/domain/routes.ts';
import { fixtures, newSandbox } from '../../functions/domain/sandbox.ts';
import type { Token } from '../../functions/domain/token.ts';
import type { Workspace } from '../../functions/domain/workspace.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { dynamodb } from '../../functions/store/client.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { managerItem } from '../../functions/store/managers.ts';
import type { ObservingHandler } from '../../functions/store/observing-handler.ts';
import { deliveryItem, offerItem } from '../../functions/store/offers.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { tokenItem } from '../../functions/store/tokens.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { sampleOffer, samplePaymentRequest } from './sample-items.ts';

/** Puts the demo data into the table. What is there already is left as it is. */
export const loadDemoData = async (): Promise<void> => {
  // A machine that is busy with the start may need longer than a request may wait.
  const handler = dynamodb.config.requestHandler as ObservingHandler;
  handler.updateHttpClientConfig('connectionTimeout', 60_000);
  handler.updateHttpClientConfig('requestTimeout', 60_000);
  const now = new Date();
  const author = newAuthor('operator:demo', `run_${newOpaque()}`);
  for (const item of demoItems(now.toISOString())) await commitNew({ ...item, author });
};

const accounts = { live: 'acc_demo', other: 'acc_other' } as const;
/** One date in the distant future, so that kept demo data stay valid, and one in the past. */
const [never, past] = ['2099-12-31T23:59:59.000Z', '2020-01-01T00:00:00.000Z'];

const demoItems = (now: string): Record<string, unknown>[] => {
  // It belongs to no sandbox of the list, which starts empty.
  const sandbox = newSandbox(
    demo.workspaces.live,
    { name: 'Demo' },
    `01K8QW${'0'.repeat(20)}`,
    now,
  );
  const testWorkspace = fixtures(sandbox, now);
  return [
    ...company('live', 'Demo', now),
    ...company('other', 'Other', now),
    ...tokens(testWorkspace.workspace, now),
    ...paymentRequests(now),
    ...offers(now),
    ...fixtureItems(testWorkspace),
  ];
};

const company = (owner: 'live' | 'other', name: string, created: string) => {
  const account = accounts[owner];
  return [
    workspaceItem({ id: demo.workspaces[owner], account, name: `${name} Company`, created }),
    { ...keys.account(account), type: 'ACCOUNT', id: account, name, created },
    ...demo.managers[owner].map((id) => managerItem({ id, account, created })),
  ];
};

const tokens = (testWorkspace: Workspace, created: string) => {
  const fields: Record<keyof typeof demo.tokens, Partial<Token>> = {
    live: {},
    other: { workspace: demo.workspaces.other, account: accounts.other },
    test: { workspace: testWorkspace.id, account: testWorkspace.account },
    expired: { expires_at: past },
    no_scopes: { scopes: '' },
  };
  const names = Object.keys(fields) as (keyof typeof fields)[];
  return names.map((name, index) =>
    tokenItem(demo.tokens[name], {
      id: `tok_01K8QW${'0'.repeat(19)}${index}`,
      name: `Demo: ${name}`,
      workspace: demo.workspaces.live,
      account: accounts.live,
      scopes: scopes.join(' '),
      expires_at: never,
      created,
      ...fields[name],
    }),
  );
};

const paymentRequests = (created: string) => {
  const { pending, approved, paid, other } = demo.payment_requests;
  const item = (id: string, number: number, fields: Partial<PaymentRequest> = {}) => {
    const workspace = id === other ? demo.workspaces.other : demo.workspaces.live;
    const reference = `INV-${number}`;
    const request = { id, worker: 'wr_amara', reference, note: 'October retainer', created };
    return paymentRequestItem(workspace, samplePaymentRequest({ ...request, ...fields }));
  };
  return [
    item(pending, 2041),
    item(approved, 2042, { status: 'approved' }),
    item(paid, 2043, {
      status: 'paid',
      documents: [{ id: 'doc_timesheet', name: 'timesheet-october.pdf' }],
      payment: { id: 'pay_october', amount: '1250.00', currency: 'USD', paid: created },
    }),
    item(other, 2041),
  ];
};

const offers = (created: string) => {
  const { sent, draft, accepted, other, bouncing } = demo.offers;
  const offer = { recipient_email: 'amara@example.com', created };
  const delivered = (id: string, fields: Partial<Offer> = {}) => {
    const workspace = id === other ? demo.workspaces.other : demo.workspaces.live;
    // The test workspace has the one with 0.
    const number = Object.values<string>(demo.offers).indexOf(id) + 1;
    const attempt = `dlv_01K8QW${'0'.repeat(19)}${number}`;
    const status = 'sent';
    return [
      offerItem(workspace, sampleOffer({ ...offer, id, status, attempts: 1, ...fields })),
      deliveryItem(workspace, { id: attempt, offer: id, status, created, updated: created }),
    ];
  };
  return [
    offerItem(demo.workspaces.live, sampleOffer({ ...offer, id: draft })),
    ...delivered(sent),
    ...delivered(accepted, { status: 'accepted' }),
    ...delivered(other),
    ...delivered(bouncing, { recipient_email: 'bounce@simulator.amazonses.com' }),
  ];
};
