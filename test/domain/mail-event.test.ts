import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isMoreSignificant,
  MailEvent,
  type MailResult,
} from '../../functions/domain/mail-event.ts';
import type { DeliveryAttempt } from '../../functions/domain/offer.ts';
import { mailEvent } from '../support/sample-mail-events.ts';

const attempt = { offer: 'ofr_1', id: 'dlv_01M7YKCFCKB2GGGV9TA5NA7GXF' };

test.each([
  ['of another kind', ['detail', 'eventType'], 'Open'],
  ['of an unknown bounce', ['detail', 'bounce', 'bounceType'], 'Elastic'],
  ['without a bounce', ['detail', 'bounce'], undefined],
  ['without tags', ['detail', 'mail', 'tags'], undefined],
  ['of no attempt', ['detail', 'mail', 'tags', 'delivery_attempt'], []],
  ['of two attempts', ['detail', 'mail', 'tags', 'delivery_attempt'], [attempt.id, attempt.id]],
  ['of an attempt that cannot be', ['detail', 'mail', 'tags', 'delivery_attempt'], ['dlv_1']],
])('an event of SES %s is refused', (_, path, value) => {
  const event = JSON.parse(mailEvent(attempt, 'permanentBounce'));
  const parent = path.slice(0, -1).reduce((part, name) => part[name], event);
  parent[path.at(-1) ?? ''] = value;
  expect(MailEvent.safeParse(event).success).toBe(false);
});
type State = Pick<DeliveryAttempt, 'status' | 'reason'>;

const after = (state: State, result: MailResult): State =>
  isMoreSignificant(result, state) ? result : state;

const result = fc.constantFrom<MailResult>(
  { status: 'delivered' },
  { status: 'bounced', reason: 'transient' },
  { status: 'bounced', reason: 'undetermined' },
  { status: 'bounced', reason: 'suppressed' },
  { status: 'bounced', reason: 'permanent' },
  { status: 'complained' },
);
const before = fc.constantFrom<State>(
  { status: 'queued' },
  { status: 'sending' },
  { status: 'sent' },
  { status: 'failed', reason: 'message_rejected' },
);

test('the events of a mail end alike in every order, however often each comes', () => {
  const anyOrder = (results: MailResult[]) =>
    fc
      .array(fc.constantFrom(...results))
      .chain((again) =>
        fc.shuffledSubarray([...results, ...again], { minLength: results.length + again.length }),
      );
  const twoOrders = fc
    .array(result, { minLength: 1 })
    .chain((results) => fc.tuple(anyOrder(results), anyOrder(results)));
  fc.assert(
    fc.property(before, before, twoOrders, (one, other, [results, shuffled]) => {
      expect(shuffled.reduce(after, other)).toEqual(results.reduce(after, one));
    }),
  );
});
