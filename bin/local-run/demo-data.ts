import { demo } from '../../functions/contract/demo.ts';
import type { Account } from '../../functions/domain/account.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import type { DeliveryAttempt, Offer } from '../../functions/domain/offer.ts';
import { scopes } from '../../functions/domain/routes.ts';
import { fixtures, newSandbox } from '../../functions/domain/sandbox.ts';
import type { Token } from '../../functions/domain/token.ts';
import type { Workspace } from '../../functions/domain/workspace.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { dynamodb } from '../../functions/store/client.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { managerItem } from '../../functions/store/managers.ts';
import { deliveryItem, offerItem } from '../../functions/store/offers.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { tokenItem } from '../../functions/store/tokens.ts';
import type { ObservingHandler } from '../../functions/store/under-way.ts';
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
const accountNames = { live: 'Demo', other: 'Other' } as const;
/** One date in the distant future, so that kept demo data stay valid, and one in the past. */
const [never, past] = ['2099-12-31T23:59:59.000Z', '2020-01-01T00:00:00.000Z'];

const demoItems = (now: string): Record<string, unknown>[] => [
  ...workspaces(now).map(workspaceItem),
  ...(['live', 'other'] as const).map((owner) => {
    const account: Account = { id: accounts[owner], name: accountNames[owner], created: now };
    return { ...keys.account(account.id), type: 'ACCOUNT', ...account };
  }),
  ...(['live', 'other'] as const).flatMap((owner) =>
    demo.managers[owner].map((id) => managerItem({ id, account: accounts[owner], created: now })),
  ),
  ...tokens(now).map(([secret, token]) => tokenItem(secret, token)),
  ...paymentRequests(now),
  ...offers(now),
  ...fixtureItems(testWorkspace(now)),
];

const workspaces = (now: string): Workspace[] => [
  { id: demo.workspaces.live, account: accounts.live, name: 'Demo Company', created: now },
  { id: demo.workspaces.other, account: accounts.other, name: 'Other Company', created: now },
];

/** A test workspace that belongs to no sandbox of the list, which starts empty. */
const testWorkspace = (now: string) => {
  const opaque = `01K8QW${'0'.repeat(20)}`;
  return fixtures(newSandbox(demo.workspaces.live, { name: 'Demo' }, opaque, now), now);
};

const tokens = (now: string): [string, Token][] => {
  const live = {
    workspace: demo.workspaces.live,
    account: accounts.live,
    scopes: scopes.join(' '),
    expires_at: never,
    created: now,
  };
  const { workspace: test } = testWorkspace(now);
  const token = (name: keyof typeof demo.tokens, fields: Partial<Token> = {}): [string, Token] => {
    const id = `tok_01K8QW${'0'.repeat(19)}${Object.keys(demo.tokens).indexOf(name)}`;
    return [demo.tokens[name], { id, name: `Demo: ${name}`, ...live, ...fields }];
  };
  return [
    token('live'),
    token('other', { workspace: demo.workspaces.other, account: accounts.other }),
    token('test', { workspace: test.id, account: test.account }),
    token('expired', { expires_at: past }),
    token('no_scopes', { scopes: '' }),
  ];
};

const paymentRequests = (now: string): Record<string, unknown>[] => {
  const pending = samplePaymentRequest({
    id: demo.payment_requests.pending,
    worker: 'wr_amara',
    reference: 'INV-2041',
    note: 'October retainer',
    created: now,
  });
  const { live, other } = demo.workspaces;
  return [
    paymentRequestItem(live, pending),
    paymentRequestItem(live, {
      ...pending,
      id: demo.payment_requests.approved,
      status: 'approved',
      reference: 'INV-2042',
    }),
    paymentRequestItem(live, {
      ...pending,
      id: demo.payment_requests.paid,
      status: 'paid',
      reference: 'INV-2043',
      documents: [{ id: 'doc_timesheet', name: 'timesheet-october.pdf' }],
      payment: { id: 'pay_october', amount: '1250.00', currency: 'USD', paid: now },
    }),
    paymentRequestItem(other, { ...pending, id: demo.payment_requests.other }),
  ];
};

const offers = (now: string): Record<string, unknown>[] => {
  const draft = sampleOffer({
    id: demo.offers.draft,
    recipient_email: 'amara@example.com',
    created: now,
  });
  const delivered = (
    workspace: string,
    id: string,
    status: Offer['status'],
    fields: Partial<Offer> = {},
  ) => {
    const attempt: DeliveryAttempt = {
      // The test workspace has the one with 0.
      id: `dlv_01K8QW${'0'.repeat(19)}${Object.values<string>(demo.offers).indexOf(id) + 1}`,
      offer: id,
      status: 'sent',
      created: now,
      updated: now,
    };
    return [
      offerItem(workspace, { ...draft, id, status, attempts: 1, ...fields }),
      deliveryItem(workspace, attempt),
    ];
  };
  const { live, other } = demo.workspaces;
  return [
    offerItem(live, draft),
    ...delivered(live, demo.offers.sent, 'sent'),
    ...delivered(live, demo.offers.accepted, 'accepted'),
    ...delivered(other, demo.offers.other, 'sent'),
    ...delivered(live, demo.offers.bouncing, 'sent', {
      recipient_email: 'bounce@simulator.amazonses.com',
    }),
  ];
};
