import { expect } from 'vitest';
import { maxAttempts } from '../../functions/runtime/time-limits.ts';
import { anotherAttempt, findSummary } from '../support/delivery-attempts.ts';
import type { CallFault } from '../support/fault-proxy.ts';
import { test } from '../support/faulty-stack.ts';
import { mailsTo } from '../support/mails-to.ts';
import { newOffer } from '../support/tenants.ts';

const everyCall = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'];

const outages: [string, CallFault][] = [
  ['resets every connection', { kind: 'reset' }],
  ['answers nothing', { kind: 'hold', released: new Promise(() => {}) }],
];

/** Until the tries of the SDK are used up, and the function has begun again. */
const triesOfAnOutage = maxAttempts + 1;

/** The worst moment: SES has every mail and has answered for none when the outage begins. */
test.for(outages)(
  'a mail is sent once though DynamoDB %s until tries are used up',
  async ([, fault], { faulty, tenant }) => {
    // The number of batches that are consumed at once.
    const offers = await Promise.all(Array.from({ length: 10 }, () => newOffer(tenant.workspace)));
    const { release } = faulty.ses.hold({ operation: 'SendEmail' });
    const attempts = await Promise.all(offers.map(({ id }) => anotherAttempt(id)));
    await expect.poll(() => faulty.ses.seen.length).toBeGreaterThanOrEqual(offers.length);

    for (const operation of everyCall) faulty.dynamodb.inject({ operation, fault });
    release();
    const fewestTries = () => {
      const failed = faulty.dynamodb.seen.filter((call) => call.fault);
      const tries = attempts.map(({ id }) => failed.filter(({ body }) => body.includes(id)).length);
      return Math.min(...tries);
    };
    await expect.poll(fewestTries).toBeGreaterThanOrEqual(triesOfAnOutage);
    faulty.dynamodb.clear();

    // Messages whose result was not recorded are received again and taken over.
    const unsent = async () => {
      faulty.passTime();
      const all = await Promise.all(offers.map(({ id }) => findSummary(id)));
      return all.filter(({ last_attempt }) => last_attempt?.status !== 'sent');
    };
    await expect.poll(unsent).toEqual([]);
    const mails = await Promise.all(
      offers.map(({ recipient_email }) => mailsTo(recipient_email, faulty.stack.mailbox)),
    );
    expect(mails.filter(({ length }) => length !== 1)).toHaveLength(0);
  },
);
