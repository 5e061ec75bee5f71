import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { isTestWorkspace } from '../../functions/domain/caller.ts';
import type { DeliveryAttempt } from '../../functions/domain/offer.ts';
import { offerMessage } from '../../functions/mail/offer-message.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { maxAttempts } from '../../functions/runtime/time-limits.ts';
import { keys } from '../../functions/store/keys.ts';
import {
  created,
  findAttempt,
  findShown,
  findSummary,
  newAttempt,
  shownStatus,
  waitingOffer,
} from '../support/delivery-attempts.ts';
import { errorResponse } from '../support/fault-proxy.ts';
import { messages, outboxMessage } from '../support/function-events.ts';
import { mailsTo } from '../support/mails-to.ts';
import { putAll } from '../support/put-all.ts';
import { serverOf } from '../support/servers.ts';
import { expectLine, useFunctions } from '../support/use-functions.ts';
import { metricsIn } from './recorded-metrics.ts';
import { failuresOf } from './responses.ts';

const { clock, deployed, proxied, queues, settingsOf, takeAll, tenant } = await useFunctions();

const lambda = deployed('deliver-offer');
const queue = queues.names().find((name) => name.includes('DeliveryQueue')) ?? '';
const { visibilityTimeoutMs } = queues.settings(queue);

/** The ids of the messages that are returned to the queue. */
const deliver = (attempts: DeliveryAttempt[], by = lambda) => {
  const bodies = attempts.map((attempt) => outboxMessage('Delivery', { ...tenant, ...attempt }));
  return failuresOf(by, messages(...bodies));
};

test("an offer of a live workspace is recorded as sent in the attempt and in the offer's summary", async () => {
  const { offer, attempt } = await waitingOffer(tenant.workspace);

  await deliver([attempt]);

  const item = await findAttempt(attempt);
  expect(item).toMatchObject({ status: 'sent', message_id: expect.any(String), created });
  expect(item).not.toHaveProperty('lease_ends');
  expect(item?.updated > created).toBe(true);
  expect(await findShown(offer.id)).toMatchObject({
    delivery: { attempts: 1, last_attempt: { id: attempt.id, status: 'sent', created } },
    updated: item?.updated,
  });
});

test('an offer of a test workspace is simulated: nothing is mailed', async () => {
  const workspace = `wsp_test_${newOpaque()}`;
  expect(isTestWorkspace(workspace)).toBe(true);
  const { offer, attempt } = await waitingOffer(workspace);

  expect(await deliver([attempt])).toEqual([]);

  expect(await shownStatus(attempt)).toBe('simulated');
  expect(await mailsTo(offer.recipient_email)).toEqual([]);
});

/** Amazon SES as it responds when it does not send; `asked` counts how often it was asked. */
const sesThat = async (respond: (response: ServerResponse) => void) => {
  const count = { asked: 0 };
  const url = await serverOf((request, response) => {
    count.asked += 1;
    request.resume();
    respond(response);
  });
  return { by: deployed('deliver-offer', { AWS_ENDPOINT_URL_SESV2: url }), count };
};

const error =
  (status: number, type: string, message = 'Words of the provider for worker@example.com') =>
  (response: ServerResponse) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'x-amzn-ErrorType': type })
      .end(JSON.stringify({ message }));

// test/functions/ses-error.test.ts has every error and reason.
test.each([
  ['an internal error', error(500, 'InternalServiceErrorException')],
  ['a gateway', (response: ServerResponse) => response.writeHead(503).end()],
  ['a broken connection', (response: ServerResponse) => response.destroy()],
])(
  'a mail that SES may have taken because of %s comes again, and is asked for once',
  async (_, respond) => {
    const { by, count } = await sesThat(respond);
    const { attempt } = await waitingOffer(tenant.workspace);

    // Within the lease it comes again too, and SES is not asked.
    for (const _ of [1, 2]) expect(await deliver([attempt], by)).toEqual(['message-0']);
    expect(await shownStatus(attempt)).toBe('sending');
    expect(count.asked).toBe(1);
  },
);

test('a message that SES refuses for good has failed, and is not asked for again', async () => {
  const { offer, attempt } = await waitingOffer(tenant.workspace);
  const { by, count } = await sesThat(error(400, 'MessageRejected'));

  for (const _ of [1, 2]) expect(await deliver([attempt], by)).toEqual([]);

  expect([count.asked, await deadLetters()]).toEqual([1, []]);
  const failed = { id: attempt.id, status: 'failed', reason: 'message_rejected' };
  expect(await findAttempt(attempt)).toMatchObject(failed);
  expect((await findSummary(offer.id)).last_attempt).toMatchObject(failed);
});

test('a mail that SES holds is queued again as if it was not taken, and logged without its address', async () => {
  const { offer, attempt } = await waitingOffer(tenant.workspace);
  const said =
    'Email address is not verified. The following identities failed the check in region X: offers@example.com, ';
  const { by } = await sesThat(error(400, 'MessageRejected', `${said}${offer.recipient_email}`));
  for (const _ of [1, 2]) {
    expect(await deliver([attempt], by)).toEqual(['message-0']);
    const item = await findAttempt(attempt);
    expect(item).toMatchObject({ status: 'queued', takes: 0 });
    expect(item).not.toHaveProperty('lease_ends');
  }
  expectLine(by, {
    level: 'WARN',
    delivery: attempt.id,
    reason: 'not_verified',
    error: { name: 'MessageRejected', message: `${said}(recipient)` },
  });
  expect(by.log.join('\n')).not.toContain(offer.recipient_email);
  await deliver([attempt]);
  expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
});

const deadLetters = () => takeAll('DeliveryDeadLetters');

/** Whether a message that comes for the `count`th time comes again. */
const receive = async (body: string, count: number, by = lambda) => {
  const event = messages(body);
  for (const { attributes } of event.Records) attributes.ApproximateReceiveCount = `${count}`;
  return (await failuresOf(by, event)).length > 0;
};

describe('an attempt that has failed five times', () => {
  const held = error(400, 'LimitExceededException');
  const unknown = error(500, 'InternalServiceErrorException');

  /** A message to which SES responds so, one receive after the other; the last one was `count`. */
  const received = async (message: string, count: number, by: typeof lambda, from = 1) => {
    for (let receives = from; receives < from + count; receives += 1) {
      expect(await receive(message, receives, by)).toBe(true);
      clock.advance(visibilityTimeoutMs);
    }
  };

  const waiting = async () => {
    const { offer, attempt } = await waitingOffer(tenant.workspace);
    return { offer, attempt, message: outboxMessage('Delivery', { ...tenant, ...attempt }) };
  };

  test('is a dead letter whatever it waited for between, and is sent five times when redriven', async () => {
    const { offer, attempt, message } = await waiting();
    const { by: holding } = await sesThat(held);
    const { by: failing, count } = await sesThat(unknown);
    const tryAgain = async (from: number) => {
      await received(message, 9, holding, from);
      await received(message, 2, failing, from + 9);
      await received(message, 9, holding, from + 11);
      await received(message, 3, failing, from + 20);
      expect(await deadLetters()).toEqual([]);
      expect(await receive(message, from + 23, failing)).toBe(false);
      expect(await deadLetters()).toEqual([message]);
    };
    await tryAgain(1);
    expect([count.asked, (await findAttempt(attempt))?.takes]).toEqual([5, 0]);
    expectLine(failing, {
      level: 'ERROR',
      delivery: attempt.id,
      error: expect.objectContaining({ name: 'FailedTooOften' }),
    });

    // Redriven, it comes for the first time again. What fails before a mail is no try.
    const { proxy, lambda: without } = await proxied('deliver-offer');
    proxy.inject({ operation: 'UpdateItem', fault: { kind: 'reset' } });
    await received(message, 2, without);
    await tryAgain(3);
    expect(count.asked).toBe(10);

    expect(await receive(message, 1)).toBe(false);
    expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
  });

  test('has as many sends although its dead letter is refused, and five more only with it', async () => {
    const { attempt, message } = await waiting();
    const { by, count } = await sesThat(unknown);
    await received(message, 5, by);
    const { proxy, lambda: refused } = await proxied('deliver-offer', 'sqs');
    proxy.inject({ operation: 'SendMessage', fault: errorResponse('AccessDenied') });
    await received(message, 2, refused, 6);
    expect([(await findAttempt(attempt))?.takes, count.asked]).toEqual([5, 5]);
    expectLine(refused, { level: 'ERROR', message: 'dead letter' });
    expect(await receive(message, 8, by)).toBe(false);
    expect(await deadLetters()).toEqual([message]);
  });

  test('and is taken again while its dead letter is recorded has as many sends as are left', async () => {
    const { attempt, message } = await waiting();
    const { by } = await sesThat(unknown);
    await received(message, 5, by);
    const { proxy, lambda: slow } = await proxied('deliver-offer');
    const { held, release } = proxy.hold({ operation: 'UpdateItem' });
    const given = receive(message, 6, slow);
    await held;
    expect(await receive(message, 1, by)).toBe(true);
    release();
    expect(await given).toBe(false);
    expect(await findAttempt(attempt)).toMatchObject({ status: 'sending', takes: 1 });
    expect(await deadLetters()).toEqual([message]);
  });
});

test('a wait that SQS does not take is a wait all the same', async () => {
  const { attempt } = await waitingOffer(tenant.workspace);
  const ses = await serverOf((_, response) => error(400, 'LimitExceededException')(response));
  const { proxy, lambda: by } = await proxied('deliver-offer', 'sqs', {
    AWS_ENDPOINT_URL_SESV2: ses,
  });
  proxy.inject({ operation: 'ChangeMessageVisibility', fault: errorResponse('AccessDenied') });
  expect(await deliver([attempt], by)).toEqual(['message-0']);
  expect(await findAttempt(attempt)).toMatchObject({ status: 'queued', takes: 0 });
  expect(metricsIn(by.log).map(({ name }) => name)).not.toContain('MessageFailed');
  expectLine(by, { level: 'WARN', message: 'postpone' });
  expect(await deliver([attempt])).toEqual([]);
});

test('a message that cannot be read is a dead letter at once, of the same group, that says why', async () => {
  const event = messages('not JSON');
  for (const { attributes } of event.Records) attributes.MessageGroupId = tenant.workspace;
  expect(await failuresOf(lambda, event)).toEqual([]);
  const name = queues.names().find((each) => each.includes('DeliveryDeadLetters')) ?? '';
  const [letter] = await queues.receive(name, { maximum: 1 });
  queues.purge(name);
  expect(letter).toMatchObject({ body: 'not JSON', groupId: tenant.workspace });
  expect(letter?.attributes).toMatchObject({
    message_id: { StringValue: 'message-0' },
    error: { StringValue: 'the message (malformed_json): The message is not JSON.' },
  });
});

test('a mail does not wait for its turn again because the connection of the last one was closed', async () => {
  // The server closes the connection, as it may while a function is frozen.
  const served = new WeakSet<object>();
  const { by } = await sesThat((response) => {
    const { socket } = response;
    if (!socket || served.has(socket)) response.destroy();
    else response.end(JSON.stringify({ MessageId: newOpaque() }));
    served.add(socket ?? response);
  });
  for (let mails = 0; mails < 2; mails += 1) {
    const { attempt } = await waitingOffer(tenant.workspace);
    expect(await deliver([attempt], by)).toEqual([]);
    expect(await shownStatus(attempt)).toBe('sent');
  }
});

test('a mail is sent once and recorded though transactions hold its attempt, and DynamoDB fails for longer than the SDK tries', async () => {
  const { proxy, lambda: by } = await proxied('deliver-offer');
  const about = 'REMOVE #lease_ends';
  const calls = Array.from({ length: maxAttempts + 1 }, (_, index) => index + 1);
  const conflict = errorResponse('TransactionConflictException');
  proxy.inject({ operation: 'UpdateItem', about, calls: [1], fault: conflict });
  proxy.inject({ operation: 'UpdateItem', about, calls, fault: { kind: 'reset' } });
  proxy.inject({ operation: 'UpdateItem', calls: [1], fault: conflict });
  const { offer, attempt } = await waitingOffer(tenant.workspace);

  expect(await deliver([attempt], by)).toEqual([]);

  expect(await shownStatus(attempt)).toBe('sent');
  expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
  expect(proxy.seen.filter((call) => call.fault)).toHaveLength(maxAttempts + 3);
});

test('a mail whose sending cannot be recorded in time is logged as in doubt, by ids alone', async () => {
  const { proxy, lambda: by } = await proxied('deliver-offer');
  proxy.inject({
    operation: 'UpdateItem',
    about: 'REMOVE #lease_ends',
    fault: { kind: 'reset' },
  });
  const all = await Promise.all(Array.from({ length: 10 }, () => waitingOffer(tenant.workspace)));
  const delivered = deliver(
    all.map(({ attempt }) => attempt),
    by,
  );
  const unrecorded = () =>
    all.filter(({ attempt: { id } }) =>
      proxy.seen.some(({ fault, body }) => fault && body.includes(id)),
    );
  await expect.poll(unrecorded).toHaveLength(10);
  // All of its time but for its reserve.
  clock.advance(settingsOf('deliver-offer').timeoutMs - 2000);

  expect(await delivered).toHaveLength(10);
  for (const { offer, attempt } of all) {
    expect(await mailsTo(offer.recipient_email)).toHaveLength(1);
    expectLine(by, {
      level: 'ERROR',
      workspace: tenant.workspace,
      offer: offer.id,
      delivery: attempt.id,
      error: expect.objectContaining({
        name: 'DeliveryInDoubt',
        message: expect.stringMatching(/^SES accepted the mail [^ ]+, /),
      }),
    });
    expect(by.log.join('\n')).not.toContain(offer.recipient_email);
  }
});

test('a message about an attempt that is not there comes again alone', async () => {
  const { offer, attempt } = await waitingOffer(tenant.workspace);
  const unknown = newAttempt(offer.id);
  expect(await deliver([unknown, attempt])).toEqual(['message-0']);
  expect(await findAttempt(unknown)).toBeUndefined();
  expect(await shownStatus(attempt)).toBe('sent');
});

test('a mail goes from the sender to the recipient, tagged for the events that SES publishes', async () => {
  const settings = { CONFIGURATION_SET: 'events-of-offers' };
  const { proxy, lambda: by } = await proxied('deliver-offer', 'ses', settings);
  const { workspace } = tenant;
  const { offer: sent, attempt } = await waitingOffer(workspace);
  const message = outboxMessage('Delivery', { workspace, ...attempt });

  await by.invoke(messages(message));

  const { request_id, offer, delivery } = JSON.parse(message);
  expect(proxy.seen.map(({ body }) => JSON.parse(body))).toEqual([
    expect.objectContaining({
      FromEmailAddress: 'offers@example.com',
      Destination: { ToAddresses: [sent.recipient_email] },
      ConfigurationSetName: 'events-of-offers',
      EmailTags: [
        { Name: 'workspace', Value: workspace },
        { Name: 'offer', Value: offer },
        { Name: 'delivery_attempt', Value: delivery },
        { Name: 'request_id', Value: request_id },
      ],
    }),
  ]);
  const { Body, Headers } = JSON.parse(String(proxy.seen[0]?.body)).Content.Simple;
  for (const { Data } of [Body.Text, Body.Html]) expect(Data).toContain(offer);
  expect(Headers).toEqual([{ Name: 'X-Delivery-Attempt', Value: delivery }]);
  expectLine(by, { level: 'INFO', request_id, offer, delivery });
});

test('a mail names the company, and leads where the stage says', async () => {
  const { proxy, lambda: by } = await proxied('deliver-offer', 'ses', {
    REPLY_TO: 'people@company.example',
    OFFER_URL: 'https://app.company.example/offers/{id}?from=mail&again',
  });
  const { account, workspace } = tenant;
  const company = { ...keys.account(account), type: 'ACCOUNT', id: account, name: 'Söhne & <Co>' };
  await putAll([company]);
  const { offer, attempt } = await waitingOffer(workspace);

  await deliver([attempt], by);

  const { ReplyToAddresses, Content } = JSON.parse(String(proxy.seen[0]?.body));
  const { Subject, Body } = Content.Simple;
  expect(ReplyToAddresses).toEqual(['people@company.example']);
  const { subject } = offerMessage({ id: offer.id, company: company.name, url: undefined });
  expect(Subject).toEqual({ Data: subject, Charset: 'UTF-8' });
  expect(subject).toContain(company.name);
  const link = `https://app.company.example/offers/${offer.id}?from=mail`;
  expect(Body.Text.Data).toContain(`${link}&again`);
  expect(Body.Html.Data).toContain('Söhne &#38; &#60;Co&#62;');
  expect(Body.Html.Data).toContain(`<a href="${link}&#38;again">`);
});
