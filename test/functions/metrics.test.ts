import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { created, newAttempt, waitingOffer } from '../support/delivery-attempts.ts';
import { messages, outboxMessage, requestTo } from '../support/function-events.ts';
import { mailEvent, type Report } from '../support/sample-mail-events.ts';
import { serverOf } from '../support/servers.ts';
import { newOffer, waitingSandbox } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { type Deployed, useFunctions } from '../support/use-functions.ts';
import { metricsIn } from './recorded-metrics.ts';

const { clock, deployed, tenant } = await useFunctions();

/** The metrics that a function has recorded, in short. */
const recordedBy = (lambda: Deployed) =>
  metricsIn(lambda.log).map(({ name, values, dimensions: { service: _, ...others } }) => ({
    [name]: values,
    ...others,
  }));

const coldStart = { ColdStart: [1] };

describe('requests', () => {
  const resend = (lambda: Deployed, id: string, key?: string) =>
    lambda.invoke(requestTo(routes.resendOffer, { tenant, id, ...(key && { key }) }));

  test('that succeed record nothing, others are counted by the code of their problem', async () => {
    const lambda = deployed('resend-offer');
    const { id } = await newOffer(tenant.workspace);
    for (let times = 0; times < 3; times++) await resend(lambda, id);
    const draft = await newOffer(tenant.workspace, { status: 'draft' });
    await resend(lambda, draft.id);
    await resend(lambda, 'ofr_unknown');
    expect(recordedBy(lambda)).toEqual([
      coldStart,
      { Problem: [1], code: 'offer_not_sent' },
      { Problem: [1], code: 'offer_not_found' },
    ]);
  });

  test('with a key that was used are counted as replays and as conflicts', async () => {
    const lambda = deployed('resend-offer');
    const { id } = await newOffer(tenant.workspace);
    const another = await newOffer(tenant.workspace);
    await resend(lambda, id, 'counted');
    await resend(lambda, id, 'counted');
    await resend(lambda, another.id, 'counted');
    expect(recordedBy(lambda)).toEqual([
      coldStart,
      { IdempotentReplay: [1] },
      { Problem: [1], code: 'idempotency_key_reused' },
      { IdempotencyConflict: [1] },
    ]);
  });
});

test('the time from created to ready is recorded by who makes a sandbox ready', async () => {
  const lambda = deployed('provision-sandbox');
  const sandbox = waitingSandbox(tenant.workspace, created);
  await saveNewSandbox(sandbox, author);
  const body = outboxMessage('Provisioning', sandbox);

  await lambda.invoke(messages(body));
  const unknown = outboxMessage('Provisioning', { ...sandbox, id: `sbx_${newOpaque()}` });
  await lambda.invoke(messages(body, unknown));

  expect(recordedBy(lambda)).toEqual([
    coldStart,
    { ProvisioningTime: [expect.any(Number)] },
    { MessageFailed: [1] },
  ]);
  const [, time] = metricsIn(lambda.log);
  expect(time?.unit).toBe('Milliseconds');
  expect(time?.values[0]).toBeGreaterThanOrEqual(60_000);
});

describe('mails', () => {
  const deliver = async (lambda: Deployed, workspace: string, times = 1) => {
    const { attempt } = await waitingOffer(workspace);
    const body = outboxMessage('Delivery', { workspace, ...attempt });
    for (let time = 0; time < times; time++) await lambda.invoke(messages(body));
    return attempt;
  };

  test('are counted when SES takes them, and when they are simulated', async () => {
    const lambda = deployed('deliver-offer');
    await deliver(lambda, tenant.workspace, 2);
    await deliver(lambda, `wsp_test_${newOpaque()}`);
    expect(recordedBy(lambda)).toEqual([coldStart, { MailSent: [1] }, { MailSimulated: [1] }]);
  });

  test('are counted as failed when SES refuses them', async () => {
    const ses = await serverOf((request, response) => {
      request.resume();
      response.writeHead(400, { 'x-amzn-ErrorType': 'MessageRejected' }).end('{}');
    });
    const lambda = deployed('deliver-offer', { AWS_ENDPOINT_URL_SESV2: ses });
    await deliver(lambda, tenant.workspace);
    expect(recordedBy(lambda)).toEqual([coldStart, { MailFailed: [1] }]);
  });

  test('are counted as held for the sending rate from the fourth receive on', async () => {
    const ses = await serverOf((request, response) => {
      request.resume();
      // Too little time is left for another try.
      clock.advance(20_000);
      response.writeHead(429, { 'x-amzn-ErrorType': 'TooManyRequestsException' }).end('{}');
    });
    const lambda = deployed('deliver-offer', { AWS_ENDPOINT_URL_SESV2: ses });
    const { attempt } = await waitingOffer(tenant.workspace);
    const event = messages(outboxMessage('Delivery', { ...tenant, ...attempt }));
    for (const receives of ['1', '3', '4']) {
      for (const { attributes } of event.Records) attributes.ApproximateReceiveCount = receives;
      await lambda.invoke(event);
    }
    expect(recordedBy(lambda)).toEqual([coldStart, { MailHeld: [1] }]);
  });

  test('are counted once for what becomes of them, all of a batch in one line', async () => {
    const lambda = deployed('record-mail-event');
    const { attempt } = await waitingOffer(tenant.workspace, { status: 'sent' });
    const others = await Promise.all(
      [1, 2].map(() => waitingOffer(tenant.workspace, { status: 'sent' })),
    );
    const reports: Report[] = ['transientBounce', 'delivery', 'delivery', 'complaint', 'delivery'];
    for (const report of reports) await lambda.invoke(messages(mailEvent(attempt, report)));
    await lambda.invoke(
      messages(
        ...others.map((other) => mailEvent(other.attempt, 'delivery')),
        mailEvent(newAttempt('ofr_unknown'), 'delivery'),
      ),
    );
    const all = recordedBy(lambda);
    expect(all.slice(0, 4)).toEqual([
      coldStart,
      { MailBounced: [1] },
      { MailDelivered: [1] },
      { MailComplained: [1] },
    ]);
    // The messages of a batch are worked on side by side.
    expect(new Set(all.slice(4))).toEqual(
      new Set([{ MessageFailed: [1] }, { MailDelivered: [1, 1] }]),
    );
    expect(lambda.log.filter((line) => line.includes('"_aws"'))).toHaveLength(4);
  });
});
