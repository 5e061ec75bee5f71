import { expect, test } from 'vitest';
import { redactionItems } from '../../bin/admin/table/redactions.ts';
import {
  Event,
  type EventItems,
  eventOf,
  refusalType,
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
import { eventfulChanges } from '../../lib/stack/item-changes.ts';
import { requestRecord } from '../support/records.ts';

const created = '2026-11-01T10:00:00.000Z';
const updated = '2026-11-01T10:00:07.000Z';
const opaque = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const approver = '11111111-1111-4111-8111-111111111111';
const author = { actor: `tok_${opaque}`, request: 'req_1', version: 'v1' };
const workspace = workspaceItem({ id: 'wsp_1', account: 'acc_1', name: 'Company', created });
const paid = requestRecord({ id: 'ptr_1', status: 'paid', payment: { iban: 'secret' } });
const request = { ...paid, note: 'A note', approvals: [] };

const itemsOf = (effect: object, fields: object): EventItems => ({
  effect: { ...effect, author, ...fields },
  paymentRequest: paymentRequestItem('wsp_1', request),
  workspace,
});
const approval = (fields: object = {}) =>
  itemsOf(
    approvalItem(newApproval({ ...request, version: 7 }, { approver }, opaque, created)),
    fields,
  );
const sandbox = (fields: object = {}) =>
  itemsOf(sandboxItem(newSandbox('wsp_1', { name: 'Try' }, opaque, created)), fields);
const delivery = (fields: object = {}) =>
  itemsOf(deliveryItem('wsp_1', newDeliveryAttempt('ofr_1', opaque, created)), fields);
const redaction = (...ids: string[]) =>
  itemsOf(redactionItems('wsp_1', ids, author)[0] ?? {}, { id: `rdc_${opaque}`, created });

const end = {
  id: `end_${opaque}`,
  status: 'cancelled',
  record_version: 9,
  actor: 'sender:AROA',
  request: 'msg_1',
  version: 'v1',
  at: updated,
};
const ended = () =>
  itemsOf(paymentRequestItem('wsp_1', request), { version: 10, status: 'paid', ended: end });

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
  expect(eventOf(ended())).toMatchObject({
    ...{ id: `evt_end_${opaque}_ended`, type: 'payment_request.ended', time: updated },
    ...{ request_id: 'msg_1', actor: 'sender:AROA' },
    data: { record_version: 9, payment_request },
  });
});

test.each<[type: string, EventItems, end: string, time: string, data: object]>([
  ['payment_request.approved', approval(), 'approved', created, approved],
  [
    'payment_request.approved',
    approval({ reason, version: undefined }),
    'approved',
    created,
    { ...approved, approval: { ...approved.approval, reason, record_version: undefined } },
  ],
  ['sandbox.created', sandbox(), 'created', created, shown],
  [
    'sandbox.ready',
    sandbox({ status: 'ready', updated }),
    'ready',
    updated,
    { ...shown, status: 'ready', updated },
  ],
  ['delivery_attempt.created', delivery(), 'created', created, { ...attempt, status: 'queued' }],
  [
    'delivery_attempt.sent',
    delivery({ status: 'sent', updated, message_id: 'ses', lease_ends: 1 }),
    'sent',
    updated,
    { ...attempt, status: 'sent' },
  ],
  [
    'delivery_attempt.bounced',
    delivery({ ...bounced, updated }),
    'bounced_permanent',
    updated,
    { ...attempt, ...bounced },
  ],
  [
    'personal_data.redacted',
    redaction('ptr_1', 'ofr_1'),
    'redacted',
    created,
    { id: `rdc_${opaque}`, ids: ['ptr_1', 'ofr_1'], created },
  ],
])('%s says what happened, when and by whom, and nothing else', (type, items, end, time, data) => {
  expect(eventOf(items)).toEqual({
    id: `evt_${items.effect.id}_${end}`,
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

test('an event of a test workspace is not live: nobody is paid by it', () => {
  const id = `wsp_test_${opaque}`;
  const items = { ...approval(), workspace: { ...workspace, id } };
  expect(eventOf(items)).toMatchObject({ workspace: id, livemode: false });
});

test('there is an event for each change that the filter of the stream lets through, and for no other', () => {
  const ofType: Readonly<Record<string, EventItems>> = {
    APPROVAL: approval(),
    REDACTION: redaction('ptr_1'),
    SANDBOX: sandbox(),
    DELIVERY: delivery(),
    PAYMENT_REQUEST: ended(),
  };
  const impossible = ['SANDBOX queued', 'DELIVERY provisioning'];
  const types = eventfulChanges.flatMap(({ types, statuses = [''] }) =>
    types
      .flatMap((type) => statuses.map((status) => ({ type, status })))
      .filter(({ type, status }) => !impossible.includes(`${type} ${status}`))
      .map(({ type, status }) => {
        const { effect, ...rest } = ofType[type] ?? sandbox({ type });
        return eventOf({ ...rest, effect: { ...effect, ...(status && { status }) } }).type;
      }),
  );
  const described = Event.def.options.flatMap(({ shape }) => Object.keys(shape.type.def.entries));
  // A refusal is no item.
  expect([...types, refusalType].sort()).toEqual(described.sort());
});

test.each([
  ['an item of another type', sandbox({ type: 'CLAIM' })],
  ['an attempt that is being sent', delivery({ status: 'sending' })],
  ['an approval without its payment request', { ...approval(), paymentRequest: undefined }],
  ['an item without its workspace', { ...sandbox(), workspace: undefined }],
  ['an item without an author', sandbox({ author: undefined })],
  ['a payment request that has no end', itemsOf(paymentRequestItem('wsp_1', request), {})],
])('no event can be made of %s', (_, items) => {
  expect(() => eventOf(items)).toThrow(Unpublishable);
});

test('the error names what prevents an event, without the values', () => {
  const items = sandbox({ created: 'yesterday', name: 7 });
  expect(() => eventOf(items)).toThrow(Unpublishable);
  expect(() => eventOf(items)).toThrow(/sandbox\.created.*time \(invalid_format\).*data\.name/);
  expect(() => eventOf(items)).not.toThrow(/yesterday/);
});

/** PutEvents takes 256 KB at once; an entry has a source, a type and a time besides its detail. */
test('ten of the largest events are half of what PutEvents takes', () => {
  const longest = (length: number) => '🧾'.repeat(length);
  const byteLengths = [
    approval({ reason: longest(1000) }),
    sandbox({ name: longest(255) }),
    delivery({ status: 'bounced', reason: 'undetermined', updated }),
    ended(),
    redaction(...Array.from({ length: maximumRedactedIds }, () => `ptr_${'x'.repeat(100)}`)),
  ].map((items) => {
    const author = { actor: `operator:${'x'.repeat(200)}`, request: 'x'.repeat(100) };
    const wide = { ...items, effect: { ...items.effect, author } };
    return Buffer.byteLength(JSON.stringify(eventOf(wide)));
  });
  expect(10 * Math.max(...byteLengths)).toBeLessThan(128 * 1024);
});
