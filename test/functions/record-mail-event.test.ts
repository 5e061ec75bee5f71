import { describe, expect, test } from 'vitest';
import type { DeliveryAttempt } from '../../functions/domain/offer.ts';
import { keys } from '../../functions/store/keys.ts';
import { readItem } from '../../functions/store/read.ts';
import {
  anotherAttempt,
  created,
  findAttempt,
  findShown,
  findSummary,
  newAttempt,
  shownStatus,
  waitingOffer,
} from '../support/delivery-attempts.ts';
import { messages } from '../support/function-events.ts';
import { confidential, mailEvent, type Report } from '../support/sample-mail-events.ts';
import { expectLine, useFunctions } from '../support/use-functions.ts';
import { failuresOf } from './responses.ts';

const { deployed, tenant } = await useFunctions();

const lambda = deployed('record-mail-event');

/** The ids of the messages that are returned to the queue. */
const consume = (bodies: string[], by = lambda) => failuresOf(by, messages(...bodies));

const sentOffer = () => waitingOffer(tenant.workspace, { status: 'sent' });

/** An attempt, which must agree with its offer's summary. */
const resultOf = async (attempt: DeliveryAttempt) => {
  const { status, reason } = (await findAttempt(attempt)) ?? {};
  const summary = await findSummary(attempt.offer);
  expect(summary.last_attempt).toEqual({ id: attempt.id, status, reason, created });
  return reason ? `${status} ${reason}` : status;
};

test.each<[Report, string]>([
  ['delivery', 'delivered'],
  ['transientBounce', 'bounced transient'],
  ['undeterminedBounce', 'bounced undetermined'],
  ['permanentBounce', 'bounced permanent'],
  ['suppressedBounce', 'bounced suppressed'],
  ['complaint', 'complained'],
  ['abuse', 'complained'],
  // SES reports a mail that it did not send, as its recipient had complained before.
  ['suppressedComplaint', 'bounced suppressed'],
])('%s: the attempt is %s, and so says the summary', async (report, result) => {
  const { offer, attempt } = await sentOffer();

  expect(await consume([mailEvent(attempt, report)])).toEqual([]);

  expect(await resultOf(attempt)).toBe(result);
  const item = await findAttempt(attempt);
  expect(item?.updated > created).toBe(true);
  expect((await findShown(offer.id)).updated).toBe(item?.updated);
});

describe('events that come late, twice and out of order', () => {
  test.each<[Report[], string]>([
    [['delivery', 'transientBounce'], 'delivered'],
    [['transientBounce', 'delivery'], 'delivered'],
    // Reports of a recipient or of a mail server that complain of nothing.
    [['notSpam', 'authFailure'], 'sent'],
    [['delivery', 'notSpam', 'authFailure'], 'delivered'],
    [['notSpam', 'permanentBounce', 'delivery'], 'bounced permanent'],
    [['abuse', 'permanentBounce', 'notSpam', 'authFailure'], 'complained'],
  ])('%s: %s, one after another and in one batch', async (reports, result) => {
    const { attempt } = await sentOffer();
    for (const report of reports) expect(await consume([mailEvent(attempt, report)])).toEqual([]);
    expect(await resultOf(attempt)).toBe(result);

    const { attempt: another } = await sentOffer();
    const batch = reports.map((report) => mailEvent(another, report));
    expect(await consume([...batch, ...batch])).toEqual([]);
    expect(await resultOf(another)).toBe(result);
  });

  test('change nothing when they report a known state', async () => {
    const { offer, attempt } = await sentOffer();
    await consume([mailEvent(attempt, 'delivery')]);
    const before = [await findAttempt(attempt), await readItem(keys.offer(offer.id))];
    await consume([mailEvent(attempt, 'delivery'), mailEvent(attempt, 'transientBounce')]);
    expect([await findAttempt(attempt), await readItem(keys.offer(offer.id))]).toEqual(before);
  });
});

test('the summary of an offer is of its last attempt, though an event reports an earlier one', async () => {
  const { offer, attempt } = await sentOffer();
  const last = await anotherAttempt(offer.id);
  const before = await readItem(keys.offer(offer.id));

  expect(await consume([mailEvent(attempt, 'permanentBounce')])).toEqual([]);

  expect(await findAttempt(attempt)).toMatchObject({ status: 'bounced', reason: 'permanent' });
  expect(await readItem(keys.offer(offer.id))).toEqual(before);
  expect(await shownStatus(last)).toBe('queued');
});

test('an attempt of a test workspace stays simulated', async () => {
  const { attempt } = await waitingOffer(tenant.workspace, { status: 'simulated' });
  expect(await consume([mailEvent(attempt, 'complaint')])).toEqual([]);
  expect(await resultOf(attempt)).toBe('simulated');
});

test('the log names the attempt and what became of it, and says nothing else of the event', async () => {
  const by = deployed('record-mail-event');
  const { attempt } = await sentOffer();
  const event = mailEvent(attempt, 'permanentBounce');
  const unknown = mailEvent(newAttempt(attempt.offer), 'complaint');
  expect(await consume([event, unknown, `${event}}`], by)).toEqual(['message-1']);

  expectLine(by, {
    message_id: 'message-0',
    request_id: 'run_test',
    workspace: 'wsp_1',
    offer: attempt.offer,
    delivery: attempt.id,
    status: 'bounced',
    reason: 'permanent',
  });
  expectLine(by, {
    level: 'ERROR',
    message_id: 'message-2',
    faults: [{ code: 'malformed_json', count: 1 }],
  });
  for (const secret of Object.values(confidential)) {
    expect(by.log.join('\n')).not.toContain(secret);
  }
});
