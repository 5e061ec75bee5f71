import { expect, test } from 'vitest';
import { redactionItems } from '../../bin/admin/table/redactions.ts';
import { samplePaymentRequest } from '../../bin/local-run/sample-items.ts';
import {
  DeliveryAttemptEvent,
  type EventItems,
  eventOf,
  PaymentRequestEvent,
  RedactionEvent,
  SandboxEvent,
  Unpublishable,
} from '../../functions/domain/events.ts';
import { newDeliveryAttempt } from '../../functions/domain/offer.ts';
import { newApproval } from '../../functions/domain/payment-request.ts';
import { maximumRedactedIds } from '../../functions/domain/redaction.ts';
import { newSandbox } from '../../functions/domain/sandbox.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { eventfulChanges } from '../../lib/item-changes.ts';

const created = '2026-11-01T10:00:00.000Z';
const updated = '2026-11-01T10:00:07.000Z';
const opaque = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const author = { actor: `tok_${opaque}`, request: 'req_1', version: 'v1' };
const workspace = workspaceItem({ id: 'wsp_1', account: 'acc_1', name: 'Company', created });

const request = samplePaymentRequest({
  id: 'ptr_1',
  worker: 'wr_1',
  reference: 'INV-1',
  note: 'A note',
  created,
  status: 'paid',
  payment: { iban: 'secret' },
});
const approver = '11111111-1111-4111-8111-111111111111';

const approval = (reason?: string): EventItems => ({
  effect: {
    ...approvalItem(
      newApproval(
        { ...request, version: 7 },
        { approver, ...(reason && { reason }) },
        opaque,
        created,
      ),
    ),
    author,
  },
  paymentRequest: paymentRequestItem('wsp_1', request),
  workspace,
});
const sandbox = (fields: object = {}, name = 'Try'): EventItems => ({
  effect: { ...sandboxItem(newSandbox('wsp_1', { name }, opaque, created)), author, ...fields },
  paymentRequest: undefined,
  workspace,
});
const delivery = (fields: object = {}): EventItems => ({
  effect: {
    ...deliveryItem('wsp_1', newDeliveryAttempt('ofr_1', opaque, created)),
    author,
    ...fields,
  },
  paymentRequest: undefined,
  workspace,
});

const redaction = (...ids: string[]): EventItems => ({
  effect: redactionItems('wsp_1', ids, author)[0] ?? {},
  paymentRequest: undefined,
  workspace,
});

const envelope = {
  version: 1,
  workspace: 'wsp_1',
  account: 'acc_1',
  livemode: true,
  request_id: 'req_1',
  actor: author.actor,
};

test('an approval says who approved what and why, and nothing else of the payment request', () => {
  expect(eventOf(approval('Matches the timesheet'))).toEqual({
    ...envelope,
    id: `evt_apprdec_${opaque}_approved`,
    type: 'payment_request.approved',
    time: created,
    data: {
      approval: {
        id: `apprdec_${opaque}`,
        approver,
        reason: 'Matches the timesheet',
        record_version: 7,
        created,
      },
      payment_request: {
        id: 'ptr_1',
        worker: 'wr_1',
        amount: '1250.00',
        currency: 'USD',
        // The status that the approval gave it, not a later one.
        status: 'approved',
      },
    },
  });
  expect(eventOf(approval()).data).not.toHaveProperty('approval.reason');
  const { effect, ...rest } = approval();
  const unversioned = eventOf({ ...rest, effect: { ...effect, version: undefined } });
  expect(unversioned.data).toHaveProperty('approval.record_version', undefined);
});

test('an event of a test workspace is not live: nobody is paid by it', () => {
  const id = `wsp_test_${opaque}`;
  const test = workspaceItem({ id, account: 'acc_1', name: 'Try', created });
  expect(eventOf({ ...approval(), workspace: test })).toMatchObject({
    workspace: id,
    livemode: false,
  });
});

test('a sandbox says what the API shows, when it is created and when it is ready', () => {
  const presented = {
    id: `sbx_${opaque}`,
    name: 'Try',
    status: 'provisioning',
    workspace: 'wsp_1',
    sandbox_workspace: `wsp_test_${opaque}`,
    created,
    updated: created,
  };
  expect(eventOf(sandbox())).toEqual({
    ...envelope,
    id: `evt_sbx_${opaque}_created`,
    type: 'sandbox.created',
    time: created,
    data: presented,
  });
  expect(eventOf(sandbox({ status: 'ready', updated }))).toEqual({
    ...envelope,
    id: `evt_sbx_${opaque}_ready`,
    type: 'sandbox.ready',
    time: updated,
    data: { ...presented, status: 'ready', updated },
  });
});

const ends = [
  ['sent', undefined],
  ['simulated', undefined],
  ['failed', 'message_rejected'],
  ['delivered', undefined],
  ['bounced', 'transient'],
  ['bounced', 'permanent'],
  ['complained', undefined],
] as const;

test('a delivery attempt says what the last attempt of its offer shows, and whose it is', () => {
  expect(eventOf(delivery())).toEqual({
    ...envelope,
    id: `evt_dlv_${opaque}_created`,
    type: 'delivery_attempt.created',
    time: created,
    data: { id: `dlv_${opaque}`, offer: 'ofr_1', status: 'queued', created },
  });
});

test.each(ends)(
  'a delivery attempt that ends as %s has an event with the reason: %s',
  (status, reason) => {
    const fields = { status, updated, ...(reason && { reason }), message_id: 'ses', lease_ends: 1 };
    expect(eventOf(delivery(fields))).toEqual({
      ...envelope,
      id: `evt_dlv_${opaque}_${status}${reason ? `_${reason}` : ''}`,
      type: `delivery_attempt.${status}`,
      time: updated,
      data: { id: `dlv_${opaque}`, offer: 'ofr_1', status, created, ...(reason && { reason }) },
    });
  },
);

test('a redaction names what it concerns', () => {
  const items = redaction('ptr_1', 'ofr_1');
  const { id, created } = items.effect;
  expect(eventOf(items)).toEqual({
    ...envelope,
    id: `evt_${id}_redacted`,
    type: 'personal_data.redacted',
    time: created,
    data: { id, ids: ['ptr_1', 'ofr_1'], created },
  });
});

test('there is an event for each change that the filter of the stream lets through, and for no other', () => {
  const ofType: Readonly<Record<string, EventItems>> = {
    APPROVAL: approval(),
    REDACTION: redaction('ptr_1'),
    SANDBOX: sandbox(),
    DELIVERY: delivery(),
  };
  const types = eventfulChanges.flatMap(({ types, statuses = [''] }) =>
    types.flatMap((type) =>
      statuses.map((status) => {
        const effect = { ...ofType[type]?.effect, ...(status && { status }) };
        return eventOf({ workspace, paymentRequest: undefined, ...ofType[type], effect }).type;
      }),
    ),
  );
  const described = [
    PaymentRequestEvent,
    SandboxEvent,
    DeliveryAttemptEvent,
    RedactionEvent,
  ].flatMap(({ shape }) => Object.keys(shape.type.def.entries));
  expect(types.sort()).toEqual(described.sort());
});

test.each([
  ['an item of another type', { ...sandbox(), effect: { type: 'CLAIM' } }],
  ['an attempt that is being sent', delivery({ status: 'sending' })],
  ['an approval without its payment request', { ...approval(), paymentRequest: undefined }],
  ['an item without its workspace', { ...sandbox(), workspace: undefined }],
  ['an item without an author', sandbox({ author: undefined })],
  ['a sandbox that is none', sandbox({ created: 'yesterday' })],
])('no event can be made of %s', (_, items) => {
  expect(() => eventOf(items)).toThrow(Unpublishable);
});

test('the error names what prevents an event, without the values', () => {
  const items = sandbox({ created: 'yesterday', name: 7 });
  expect(() => eventOf(items)).toThrow(/sandbox\.created.*time \(invalid_format\).*data\.name/);
  expect(() => eventOf(items)).not.toThrow(/yesterday/);
});

/** PutEvents takes 256 KB at once; an entry has a source, a type and a time besides its detail. */
test('ten of the largest events are half of what PutEvents takes', () => {
  const longest = (length: number) => '🧾'.repeat(length);
  const byteLengths = [
    approval(longest(1000)),
    sandbox({}, longest(255)),
    delivery({ status: 'bounced', reason: 'undetermined', updated }),
    redaction(...Array.from({ length: maximumRedactedIds }, () => `ptr_${'x'.repeat(100)}`)),
  ].map((items) => {
    const author = { actor: `operator:${'x'.repeat(200)}`, request: 'x'.repeat(100) };
    const wide = { ...items, effect: { ...items.effect, author } };
    return Buffer.byteLength(JSON.stringify(eventOf(wide)));
  });
  expect(10 * Math.max(...byteLengths)).toBeLessThan(128 * 1024);
});
