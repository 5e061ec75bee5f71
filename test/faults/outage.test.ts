import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { anotherAttempt, findSummary } from '../support/delivery-attempts.ts';
import { eventually } from '../support/eventually.ts';
import type { CallFault } from '../support/fault-proxy.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { mailsTo } from '../support/mails-to.ts';
import { newOffer } from '../support/tenants.ts';

const { faulty, tenant } = useFaultyStack();

const everyCall = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'];

const outages: [string, CallFault][] = [
  ['resets every connection', { kind: 'reset' }],
  ['answers nothing', { kind: 'hold', released: new Promise(() => {}) }],
];

/** The worst moment: SES has every mail and has answered for none when the outage begins. */
test.each(outages)('a mail is sent once though DynamoDB %s for 10 s', async (_, fault) => {
  // The number of batches that are consumed at once.
  const offers = await Promise.all(Array.from({ length: 10 }, () => newOffer(tenant.workspace)));
  const { release } = faulty.ses.hold({ operation: 'SendEmail' });
  for (const { id } of offers) await anotherAttempt(id);
  await eventually(async () => faulty.ses.seen.length >= offers.length);

  for (const operation of everyCall) faulty.dynamodb.inject({ operation, fault });
  release();
  await sleep(10_000);
  faulty.dynamodb.clear();

  // Messages whose result was not recorded are received again and taken over.
  await eventually(async () => {
    faulty.passTime();
    const all = await Promise.all(offers.map(({ id }) => findSummary(id)));
    return all.every(({ last_attempt }) => last_attempt?.status === 'sent');
  });
  const mails = await Promise.all(
    offers.map(({ recipient_email }) => mailsTo(recipient_email, faulty.stack.mailbox)),
  );
  expect(mails.filter(({ length }) => length !== 1)).toHaveLength(0);
});
