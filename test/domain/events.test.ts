import { expect, test } from 'vitest';
import { redactionItems } from '../../bin/admin/table/redactions.ts';
import { type Event, eventOf, eventTypeOf, Unpublishable } from '../../functions/domain/events.ts';
import type { Item } from '../../functions/domain/item.ts';
import { newDeliveryAttempt } from '../../functions/domain/offer.ts';
import { newApproval } from '../../functions/domain/payment-request.ts';
import { maximumRedactedIds } from '../../functions/domain/redaction.ts';
import { newSandbox } from '../../functions/domain/sandbox.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { requestRecord } from '../support/records.ts';

const created = '2026-11-01T10:00:00.000Z';
const updated = '2026-11-01T10:00:07.000Z';
const opaque = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const approver = '11111111-1111-4111-8111-111111111111';
const author = { actor: `tok_${opaque}`, request: 'req_1', version: 'v1' };
const workspace = workspaceItem({ id: 'wsp_1', account: 'acc_1', name: 'Company', created });
const paid = requestRecord({ id: 'ptr_1', status: 'paid', payment: { iban: 'secret' } });
const request = { ...paid, note: 'A note', approvals: [] };

const others = { workspace, paymentRequest: paymentRequestItem('wsp_1', request) };

const approval = (fields: object = {}) => ({
  ...approvalItem(newApproval({ ...request, version: 7 }, { approver }, opaque, created)),
  ...{ author, ...fields },
});
const sandbox = (fields: object = {}) => ({
  ...sandboxItem(newSandbox('wsp_1', { name: 'Try' }, opaque, created)),
  ...{ author, ...fields },
});
const delivery = (fields: object = {}) => ({
  ...deliveryItem('wsp_1', newDeliveryAttempt('ofr_1', opaque, created)),
  ...{ author, ...fields },
});
const redaction = (...ids: string[]) => ({
  ...redactionItems('wsp_1', ids, author)[0],
  ...{ id: `rdc_${opaque}`, created },
});

const end = {
  id: `end_${opaque}`,
  status: 'cancelled',
  record_version: 9,
  actor: 'sender:AROA',
  request: 'msg_1',
  version: 'v1',
  at: updated,
};
const approvedBefore = { ...others.paymentRequest, author, version: 10, status: 'paid' };
const ended = { ...approvedBefore, ended: end };

const shown = {
  id: `sbx_${opaque}`,
  name: 'Try',
  status: 'provisioning',
  workspace: 'wsp_1',
  sandbox_workspace: `wsp_test_${opaque}`,
  created,
  updated: created,
};
const attempt = { id: `dlv_${opaque}`, offer: 'ofr_1', created };
const bounced = { status: 'bounced', reason: 'permanent' };
const approved = {
  approval: {
    id: `apprdec_${opaque}`,
    approver,
    previous_status: 'paid',
    record_version: 7,
    created,
  },
  // The status that the approval gave it, not a later one.
  payment_request: {
    id: 'ptr_1',
    worker: 'wr_1',
    amount: '1250.00',
    currency: 'USD',
    status: 'approved',
  },
};
const reason = 'Matches the timesheet';

test('payment_request.ended says what an item keeps of its end, whatever its state is', () => {
  const payment_request = { ...approved.payment_request, status: 'cancelled' };
  expect(eventTypeOf('MODIFY', ended)).toBe('payment_request.ended');
  expect(eventOf('payment_request.ended', ended, others)).toMatchObject({
    ...{ id: `evt_end_${opaque}_ended`, type: 'payment_request.ended', time: updated },
    ...{ request_id: 'msg_1', actor: 'sender:AROA' },
    data: { record_version: 9, payment_request },
  });
});

const ready = sandbox({ status: 'ready', updated });
const sent = { status: 'sent', sent_at: updated, updated };
const differing = approval({ reason, version: undefined });
const noVersion = { ...approved.approval, reason, record_version: undefined };
const redacted = { id: `rdc_${opaque}`, ids: ['ptr_1', 'ofr_1'], created };

test.each<[type: Event['type'], item: Item, end: string, data: object]>([
  ['payment_request.approved', approval(), 'approved', approved],
  ['payment_request.approved', differing, 'approved', { ...approved, approval: noVersion }],
  ['sandbox.created', sandbox(), 'created', shown],
  ['sandbox.ready', ready, 'ready', { ...shown, status: 'ready', updated }],
  ['delivery_attempt.created', delivery(), 'created', { ...attempt, status: 'queued' }],
  ['delivery_attempt.sent', delivery(sent), 'sent', { ...attempt, status: 'sent' }],
  [
    'delivery_attempt.bounced',
    delivery({ ...bounced, bounced_at: updated, updated, message_id: 'ses', lease_ends: 1 }),
    'bounced_permanent',
    { ...attempt, ...bounced },
  ],
  ['personal_data.redacted', redaction('ptr_1', 'ofr_1'), 'redacted', redacted],
])('%s says what happened, when and by whom, and nothing else', (type, item, end, data) => {
  const time = item.updated ?? created;
  expect(eventTypeOf(time === created ? 'INSERT' : 'MODIFY', item)).toBe(type);
  expect(eventOf(type, item, others)).toEqual({
    id: `evt_${item.id}_${end}`,
    type,
    version: 1,
    time,
    data,
    workspace: 'wsp_1',
    account: 'acc_1',
    livemode: true,
    request_id: 'req_1',
    actor: author.actor,
  });
});

test('an event made later says what was true at its time, and not what followed', () => {
  const makeOf = (type: Event['type']) => (item: Item) => eventOf(type, item, others);
  const [makeSent, makeCreated] = [makeOf('delivery_attempt.sent'), makeOf('sandbox.created')];
  expect(makeSent(delivery({ ...sent, ...bounced }))).toEqual(makeSent(delivery(sent)));
  expect(makeCreated(ready)).toEqual(makeCreated(sandbox()));
});

test('an event of a test workspace is not live: nobody is paid by it', () => {
  const id = `wsp_test_${opaque}`;
  const test = { ...others, workspace: { ...workspace, id } };
  const event = eventOf('payment_request.approved', approval(), test);
  expect(event).toMatchObject({ workspace: id, livemode: false });
});

test.each([
  ['an attempt that came with a sandbox', 'INSERT', delivery({ status: 'simulated' })],
  ['an attempt that is taken', 'MODIFY', delivery({ status: 'sending' })],
  ['an attempt that is put back', 'MODIFY', delivery()],
  ['a sandbox that came with the demo data', 'INSERT', ready],
  ['a record that has not ended', 'MODIFY', approvedBefore],
  ['an item that is removed', 'REMOVE', approval()],
])('there is no event of %s', (_, change, item) => {
  expect(eventTypeOf(change, item)).toBeUndefined();
});

test.each([
  ['an item of another type', () => eventTypeOf('INSERT', sandbox({ type: 'CLAIM' }))],
  ['an approval of nothing', () => eventOf('payment_request.approved', approval(), { workspace })],
  ['an item without its workspace', () => eventOf('sandbox.ready', ready, {})],
  ['an item without an author', () => eventOf('sandbox.ready', { ...ready, author: {} }, others)],
])('no event can be made of %s', (_, make) => {
  expect(make).toThrow(Unpublishable);
});

test('the error names what prevents an event, without the values', () => {
  const make = () => eventOf('sandbox.created', sandbox({ created: 'yesterday', name: 7 }), others);
  expect(make).toThrow(Unpublishable);
  expect(make).toThrow(/sandbox\.created.*time \(invalid_format\).*data\.name/);
  expect(make).not.toThrow(/yesterday/);
});

/** PutEvents takes 256 KB at once; an entry has a source, a type and a time besides its detail. */
test('ten of the largest events are half of what PutEvents takes', () => {
  const longest = (length: number) => '🧾'.repeat(length);
  const actor = `operator:${'x'.repeat(200)}`;
  const by = { author: { actor, request: 'x'.repeat(100) } };
  const ids = Array.from({ length: maximumRedactedIds }, () => `ptr_${'x'.repeat(100)}`);
  const undetermined = { status: 'bounced', reason: 'undetermined', bounced_at: updated };
  const byteLengths = [
    eventOf('payment_request.approved', approval({ reason: longest(1000), ...by }), others),
    eventOf('sandbox.created', sandbox({ name: longest(255), ...by }), others),
    eventOf('delivery_attempt.bounced', delivery({ ...undetermined, ...by }), others),
    eventOf('payment_request.ended', { ...ended, ended: { ...end, actor } }, others),
    eventOf('personal_data.redacted', { ...redaction(...ids), ...by }, others),
  ].map((event) => Buffer.byteLength(JSON.stringify(event)));
  expect(10 * Math.max(...byteLengths)).toBeLessThan(128 * 1024);
});
