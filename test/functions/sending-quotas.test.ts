import { expect, test } from 'vitest';
import { findAttempt } from '../support/delivery-attempts.ts';
import { useFunctions } from '../support/use-functions.ts';
import { deliverAll, sesOf } from './virtual-deliveries.ts';

await useFunctions();

test.each([
  [1000, 14, undefined],
  [100, 1, undefined],
  [100, 5, 50],
])(
  'of %i offers at once, with SES at %i a second, each is mailed once',
  async (count, rate, atOnce) => {
    const { attempts, mails, dead } = await deliverAll(count, sesOf(rate), atOnce);
    expect(dead).toBe(0);
    expect(mails.toSorted()).toEqual(attempts.map(({ id }) => id).toSorted());
    for (const attempt of attempts.slice(0, 20)) {
      expect(await findAttempt(attempt)).toMatchObject({ status: 'sent' });
    }
  },
);

test('a mail that SES refuses for its rate is asked for again, but not in the last 15 seconds of a function', async () => {
  const inFirstMinute: number[] = [];
  const { attempts, mails } = await deliverAll(1, (now) => {
    const { length, 0: first = now } = inFirstMinute;
    if (now - first > 60_000) return undefined;
    inFirstMinute[length] = now;
    return 'TooManyRequestsException';
  });
  expect(mails).toEqual(attempts.map(({ id }) => id));
  const [first = 0, ...again] = inFirstMinute;
  expect(again).not.toEqual([]);
  expect(Math.max(...again) - first).toBeLessThan(15_000);
});

test('offers whose daily quota is over for twenty hours are mailed when it is back', async () => {
  let startMs: number | undefined;
  const { attempts, mails, dead, hours, asked } = await deliverAll(20, (now) => {
    startMs ??= now;
    return now - startMs > 20 * 3_600_000 ? undefined : 'LimitExceededException';
  });
  expect(dead).toBe(0);
  expect(mails.toSorted()).toEqual(attempts.map(({ id }) => id).toSorted());
  expect(hours).toBeLessThan(22);
  // Each about once an hour.
  expect(asked.length).toBeLessThan(20 * 22);
});
