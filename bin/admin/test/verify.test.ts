import { expect, test } from 'vitest';
import { newAuthor } from '../../../functions/domain/author.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { type DeliveryAttempt, type Offer, presentOffer } from '../../../functions/domain/offer.ts';
import type { PaymentRequest } from '../../../functions/domain/payment-request.ts';
import { fixtures } from '../../../functions/domain/sandbox.ts';
import { claim as newClaim } from '../../../functions/idempotency/claims.ts';
import { newIntent } from '../../../functions/idempotency/intent.ts';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { deliveryItem, offerItem } from '../../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { fixtureItems, sandboxItem } from '../../../functions/store/sandboxes.ts';
import { newAttempt } from '../../../test/support/delivery-attempts.ts';
import { approvalBy, sentOffer, waitingSandbox } from '../../../test/support/tenants.ts';
import { smokeName } from '../../smoke/smoke-names.ts';
import { scan } from '../table/scan.ts';
import { adminAt, newTable, stackFile } from './run-admin.ts';

const workspace = 'wsp_verified';
const now = new Date().toISOString();
const agoMinutes = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const sandbox = () => waitingSandbox(workspace, now);

/** Everything in order: a ready sandbox with all that it holds. */
const inOrder = (): Item[] => {
  const ready = { ...sandbox(), status: 'ready' as const };
  return [sandboxItem(ready), ...fixtureItems(fixtures(ready, now))];
};

const attemptOf = (offer: string, fields: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  ...newAttempt(offer, now),
  status: 'sent',
  ...fields,
});

const offer = (fields: Partial<Offer> = {}) => sentOffer({ created: now, updated: now, ...fields });

const approver = '11111111-1111-4111-8111-111111111111';
const approval = (request: string) => approvalBy(approver, request);

/** The claim on a result, under a key of its own. */
const claim = (endpoint: string, response: object): Item => {
  const intent = newIntent({ workspace, endpoint, key: newOpaque() }, 'f'.repeat(64));
  return newClaim(intent, response).Put.Item;
};

const approvalClaim = (request: PaymentRequest, id: string): Item =>
  claim('approve-payment-request', { ...request, approvals: [id] });

const request = (fields: object = {}) => ({
  ...fixtures(sandbox(), now).paymentRequest,
  ...fields,
});

/** An item that its own operator's command made, unless it is of no type, or says who made it. */
const made = (item: Item): Item =>
  item.type && item.type !== 'CLAIM'
    ? { author: newAuthor('operator:test', newOpaque()), ...item }
    : item;

/** What is wrong with a table of these items alone. */
const verify = async (items: readonly Item[]) => {
  const TableName = await newTable(items.map(made));
  const at = stackFile({ table: TableName });
  const { code, stdout } = await adminAt(at, 'verify');
  expect(await Array.fromAsync(scan({ TableName }))).toHaveLength(items.length);
  const lines = stdout.trim().split('\n');
  return { code, lines, codes: lines.flatMap((line) => /^(\w+): /.exec(line)?.[1] ?? []).sort() };
};

test('finds nothing where nothing is wrong', async () => {
  const sending = offer({ attempts: 1 });
  const attempt = attemptOf(sending.id, { status: 'sending' });
  const waiting = offer({ attempts: 1 });
  const held = attemptOf(waiting.id, { status: 'queued', updated: agoMinutes(110) });
  const approved = request({ status: 'approved' });
  const decision = approval(approved.id);
  const paid = request({ status: 'paid' });
  const made = sandbox();
  const ends = (['delivered', 'bounced', 'complained'] as const).flatMap((status) => {
    const mailed = offer({ attempts: 1 });
    const end = attemptOf(mailed.id, {
      status,
      ...(status === 'bounced' && { reason: 'transient' }),
    });
    return [offerItem(workspace, mailed), { ...deliveryItem(workspace, end), message_id: 'local' }];
  });
  const items = [
    ...ends,
    ...inOrder(),
    offerItem(workspace, sending),
    deliveryItem(workspace, attempt),
    offerItem(workspace, waiting),
    { ...deliveryItem(workspace, held), takes: 0 },
    offerItem(workspace, offer({ status: 'draft' })),
    paymentRequestItem(workspace, approved),
    approvalItem(decision),
    paymentRequestItem(workspace, paid),
    approvalItem(approval(paid.id)),
    approvalClaim(approved, decision.id),
    sandboxItem(made),
    claim('create-sandbox', made),
    claim('resend-offer', presentOffer(sending, attempt)),
    { pk: 'CLAIM#x', sk: 'CLAIM', status: 'INPROGRESS' },
  ];
  const lines = [`No violation in ${items.length} items.`];
  expect(await verify(items)).toEqual({ code: 0, codes: [], lines });
});

test('finds what is wrong', async () => {
  const [more, fewer] = [offer({ attempts: 1 }), offer()];
  const late = offer({ attempts: 1 });
  const queued = attemptOf(late.id, { status: 'queued', updated: agoMinutes(121) });
  const open = request({ status: 'pending' });
  const orphan = approval('ptr_gone');
  const ready = { ...sandbox(), status: 'ready' as const };
  const items = [
    ...inOrder(),
    sandboxItem({ ...sandbox(), created: agoMinutes(11) }),
    sandboxItem(ready),
    offerItem(workspace, more),
    offerItem(workspace, fewer),
    deliveryItem(workspace, attemptOf(fewer.id)),
    offerItem(workspace, late),
    deliveryItem(workspace, queued),
    deliveryItem(workspace, attemptOf('ofr_gone')),
    paymentRequestItem(workspace, open),
    approvalItem(approval(open.id)),
    approvalItem(orphan),
    claim('create-sandbox', sandbox()),
    claim('resend-offer', presentOffer(late, attemptOf(late.id))),
    approvalClaim(open, approval(open.id).id),
    { ...offerItem(workspace, offer()), recipient_email: 7 },
    { ...offerItem(workspace, offer()), author: undefined },
    claim('resend-offer', { id: 'nonsense' }),
    { ...claim('create-sandbox', sandbox()), endpoint: undefined },
  ];
  const { lines, ...found } = await verify(items);
  expect(found).toEqual({
    code: 1,
    codes: [
      'approval_without_request',
      'approved_but_open',
      ...Array(3).fill('claim_without_effect'),
      'delivery_without_offer',
      ...Array(4).fill('misshapen_item'),
      'sandbox_without_workspace',
      'stuck_delivery',
      'stuck_sandbox',
      ...Array(2).fill('wrong_summary'),
    ],
  });
  expect(lines.at(-1)).toBe(`${found.codes.length} violations in ${items.length} items.`);
  const sentence = `${orphan.id} is an approval of ptr_gone, which does not exist.`;
  expect(lines).toContain(`approval_without_request: ${sentence}`);
  expect(lines).toContainEqual(
    expect.stringMatching(/^misshapen_item: OFFER#.* at recipient_email$/),
  );
});

test('says once that a run of the smoke test has left items', async () => {
  const ready = (owner: string) =>
    sandboxItem({ ...waitingSandbox(owner, now), status: 'ready' as const });
  const runs = [newOpaque(), newOpaque()].sort();
  const tenants = [...runs, ...runs].map((run) => `wsp_${smokeName(run, newOpaque())}`);
  const { lines, codes } = await verify([...tenants, 'wsp_smoke_detectors'].map(ready));
  expect(codes).toEqual([...Array(2).fill('left_by_smoke_test'), 'sandbox_without_workspace']);
  for (const run of runs) expect(lines.join('\n').split(`smoke_${run} `)).toHaveLength(2);
});
