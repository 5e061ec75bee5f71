import type { ServerResponse } from 'node:http';
import type { SQSBatchResponse } from 'aws-lambda';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isTestWorkspace } from '../../functions/domain/caller.ts';
import {
  type DeliveryAttempt,
  newDeliveryAttempt,
  type Offer,
} from '../../functions/domain/offer.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { newOpaque } from '../../functions/store/identifiers.ts';
import { keys } from '../../functions/store/keys.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { read } from '../../functions/store/read.ts';
import { findSummary } from '../support/deliveries.ts';
import { messages } from '../support/events.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { clock, deployed, queues } from '../support/functions.ts';
import { mailsTo } from '../support/mailbox.ts';
import { closedPort, serverOf } from '../support/servers.ts';
import { stack } from '../support/stack.ts';
import { newOffer, newTenant, type Tenant } from '../support/tenants.ts';

const lambda = deployed('deliver-offer');
const queue = queues.names().find((name) => name.includes('DeliveryQueue')) ?? '';
const { visibilityTimeoutMs } = queues.settings(queue);

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

/** The ids of the messages that are to come again. */
const deliver = async (attempts: DeliveryAttempt[], by = lambda) => {
  const bodies = attempts.map(({ offer, id }) => JSON.stringify({ offer, delivery: id }));
  const { batchItemFailures } = (await by.invoke(messages(...bodies))) as SQSBatchResponse;
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
};

const created = new Date(Date.now() - 60_000).toISOString();
const newAttempt = (offer: string) => newDeliveryAttempt(offer, newOpaque(), created);

const save = async (attempt: DeliveryAttempt, workspace = tenant.workspace) => {
  await commitNew(deliveryItem(workspace, attempt));
  return attempt;
};

/** An offer whose last attempt waits in the queue. */
const waitingOffer = async (workspace = tenant.workspace, fields: Partial<Offer> = {}) => {
  const attempt = newAttempt(`ofr_${newOpaque()}`);
  const offer = await newOffer(workspace, {
    id: attempt.offer,
    delivery: { attempts: 1, last_attempt: { id: attempt.id, status: 'queued', created } },
    ...fields,
  });
  await save(attempt, workspace);
  return { offer, attempt };
};

const storedAttempt = ({ offer, id }: DeliveryAttempt) => read(keys.delivery(offer, id));
const statusesOf = async (attempt: DeliveryAttempt) => [
  (await storedAttempt(attempt))?.status,
  (await findSummary(attempt.offer)).last_attempt?.status,
];

describe('an offer of a live workspace', () => {
  test('is mailed to its recipient, as text and HTML, with its attempt in a header', async () => {
    const { offer, attempt } = await waitingOffer();

    const failed = await deliver([attempt]);

    expect(failed).toEqual([]);
    const [mail, ...others] = await mailsTo(offer.recipient_email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ from: 'offers@example.com', subject: expect.any(String) });
    expect(mail?.destination.to).toEqual([offer.recipient_email]);
    expect(mail?.body.text).toContain(offer.id);
    expect(mail?.body.html).toContain(offer.id);
    expect(mail?.headers).toContainEqual({ name: 'X-Delivery-Attempt', value: attempt.id });
  });

  test('is sent, says the attempt, and then the summary of the offer', async () => {
    const { offer, attempt } = await waitingOffer();

    await deliver([attempt]);

    const item = await storedAttempt(attempt);
    expect(item).toMatchObject({ status: 'sent', message_id: expect.any(String), created });
    expect(item).not.toHaveProperty('lease_ends');
    expect(item?.updated > created).toBe(true);
    const stored = await read(keys.offer(offer.id));
    expect(stored).toMatchObject({
      delivery: { attempts: 1, last_attempt: { id: attempt.id, status: 'sent', created } },
      updated: item?.updated,
    });
  });

  test('is mailed once, however often its message comes', async () => {
    const { offer, attempt } = await waitingOffer();
    await deliver([attempt]);
    const sent = await storedAttempt(attempt);

    expect(await deliver([attempt])).toEqual([]);
    expect(await deliver([attempt, attempt])).toEqual([]);

    expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
    expect(await storedAttempt(attempt)).toEqual(sent);
  });

  test('is mailed once, though its message comes five times at once', async () => {
    const { offer, attempt } = await waitingOffer();
    await Promise.all([
      deliver([attempt, attempt]),
      deliver([attempt]),
      deliver([attempt, attempt]),
    ]);
    expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
    expect(await statusesOf(attempt)).toEqual(['sent', 'sent']);
  });

  test('is mailed once for each of its attempts', async () => {
    const { offer, attempt } = await waitingOffer();
    const others = await Promise.all([1, 2].map(() => save(newAttempt(offer.id))));
    expect(await deliver([attempt, ...others])).toEqual([]);
    expect(await mailsTo(offer.recipient_email)).toHaveLength(3);
  });
});

test('an offer of a test workspace is simulated: nothing is mailed', async () => {
  const workspace = `wsp_test_${newOpaque()}`;
  expect(isTestWorkspace(workspace)).toBe(true);
  const { offer, attempt } = await waitingOffer(workspace);

  expect(await deliver([attempt])).toEqual([]);

  expect(await statusesOf(attempt)).toEqual(['simulated', 'simulated']);
  expect(await mailsTo(offer.recipient_email)).toEqual([]);
});

describe('the summary of an offer', () => {
  test('is of its newest attempt, though an older one ends later', async () => {
    const { offer, attempt: newest } = await waitingOffer();
    const older = await save(newAttempt(offer.id));
    await deliver([newest]);
    const summary = await findSummary(offer.id);

    expect(await deliver([older])).toEqual([]);

    expect((await storedAttempt(older))?.status).toBe('sent');
    expect(await findSummary(offer.id)).toEqual(summary);
    expect(summary.last_attempt?.id).toBe(newest.id);
  });

  test('is mended when the message comes again after a crash between the two writes', async () => {
    const attempt = { ...newAttempt(`ofr_${newOpaque()}`), status: 'sent' } as const;
    const offer = await newOffer(tenant.workspace, {
      id: attempt.offer,
      delivery: { attempts: 1, last_attempt: { id: attempt.id, status: 'queued', created } },
    });
    await save(attempt);

    expect(await deliver([attempt])).toEqual([]);

    expect(await statusesOf(attempt)).toEqual(['sent', 'sent']);
    expect(await mailsTo(offer.recipient_email)).toEqual([]);
  });
});

/** Amazon SES as it answers when it does not send; `asked` counts how often it was asked. */
const sesThat = async (answer: (response: ServerResponse) => void) => {
  const count = { asked: 0 };
  const url = await serverOf((request, response) => {
    count.asked += 1;
    request.resume();
    answer(response);
  });
  return { by: deployed('deliver-offer', { AWS_ENDPOINT_URL_SESV2: url }), count };
};

const error = (status: number, type: string) => (response: ServerResponse) =>
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'x-amzn-ErrorType': type })
    .end(JSON.stringify({ message: 'Words of the provider for worker@example.com' }));

describe('a message that SES will never take', () => {
  test.each([
    ['MessageRejected', 'message_rejected'],
    ['BadRequestException', 'invalid_message'],
  ])('%s has failed: the attempt and the summary say why', async (type, reason) => {
    const { by, count } = await sesThat(error(400, type));
    const { offer, attempt } = await waitingOffer();

    expect(await deliver([attempt], by)).toEqual([]);

    expect(await storedAttempt(attempt)).toMatchObject({ status: 'failed', reason });
    expect((await findSummary(offer.id)).last_attempt).toEqual({
      id: attempt.id,
      status: 'failed',
      reason,
      created,
    });
    expect(await deliver([attempt], by)).toEqual([]);
    expect(count.asked).toBe(1);
  });
});

describe('a message that SES does not take now', () => {
  test.each([
    ['throttling', error(429, 'TooManyRequestsException')],
    ['a quota', error(400, 'LimitExceededException')],
    ['a paused account', error(400, 'SendingPausedException')],
    ['a suspended account', error(400, 'AccountSuspendedException')],
    ['an unverified domain', error(400, 'MailFromDomainNotVerifiedException')],
    ['an internal error', error(500, 'InternalServiceErrorException')],
    ['a gateway', (response: ServerResponse) => response.writeHead(503).end()],
    ['a broken connection', (response: ServerResponse) => response.destroy()],
  ])('because of %s comes again, and is asked for once each time', async (_, answer) => {
    const { by, count } = await sesThat(answer);
    const { offer, attempt } = await waitingOffer();

    expect(await deliver([attempt], by)).toEqual(['message-0']);

    expect(await statusesOf(attempt)).toEqual(['sending', 'queued']);
    expect(count.asked).toBe(1);
    expect(await mailsTo(offer.recipient_email)).toEqual([]);
  });

  test('since nobody answers there', async () => {
    const by = deployed('deliver-offer', { AWS_ENDPOINT_URL_SESV2: await closedPort() });
    const { attempt } = await waitingOffer();
    expect(await deliver([attempt], by)).toEqual(['message-0']);
    expect(await statusesOf(attempt)).toEqual(['sending', 'queued']);
  });
});

describe('an attempt whose consumer died while it was sending', () => {
  const abandoned = async () => {
    const { by } = await sesThat((response) => response.destroy());
    const { offer, attempt } = await waitingOffer();
    await deliver([attempt], by);
    return { offer, attempt };
  };

  test('is left alone while its lease runs, and looked at again later', async () => {
    const { offer, attempt } = await abandoned();
    expect(await deliver([attempt])).toEqual(['message-0']);
    expect(await mailsTo(offer.recipient_email)).toEqual([]);
    expect(await statusesOf(attempt)).toEqual(['sending', 'queued']);
  });

  test('is taken over before its message comes again, by one', async () => {
    const { offer, attempt } = await abandoned();
    clock.advance(visibilityTimeoutMs);
    await Promise.all([deliver([attempt]), deliver([attempt])]);
    expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
    expect(await statusesOf(attempt)).toEqual(['sent', 'sent']);
  });
});

test('a transaction that holds the attempt or the offer is waited for', async () => {
  const dynamodb = await FaultProxy.start();
  onTestFinished(() => dynamodb.stop());
  dynamodb.forwardTo(stack.endpoints.dynamodb);
  const fault = { kind: 'answer', status: 400, type: 'TransactionConflictException' } as const;
  dynamodb.inject({ operation: 'UpdateItem', calls: [1, 3, 5], fault });
  const by = deployed('deliver-offer', { AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url });
  const { offer, attempt } = await waitingOffer();

  expect(await deliver([attempt], by)).toEqual([]);

  expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
  expect(await statusesOf(attempt)).toEqual(['sent', 'sent']);
  const updates = dynamodb.seen.filter(({ operation }) => operation === 'UpdateItem');
  expect(updates.map((call) => call.fault)).toEqual([
    'answer',
    undefined,
    'answer',
    undefined,
    'answer',
    undefined,
  ]);
});

test('a message about an attempt that is not there comes again alone', async () => {
  const { offer, attempt } = await waitingOffer();
  const unknown = newAttempt(offer.id);
  expect(await deliver([unknown, attempt])).toEqual(['message-0']);
  expect(await storedAttempt(unknown)).toBeUndefined();
  expect(await statusesOf(attempt)).toEqual(['sent', 'sent']);
});

test('the log names the attempt that failed', async () => {
  const { by } = await sesThat(error(500, 'InternalServiceErrorException'));
  const { attempt } = await waitingOffer();
  await deliver([attempt], by);
  expect(by.log.join('\n')).toContain(attempt.id);
});

test('the log holds no address', async () => {
  const { offer, attempt } = await waitingOffer();
  await deliver([attempt]);
  expect(lambda.log.join('\n')).toContain(attempt.id);
  expect(lambda.log.join('\n')).not.toContain(offer.recipient_email);
});
