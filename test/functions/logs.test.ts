import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { expect } from 'vitest';
import { filterBy, scan } from '../../bin/admin/table/scan.ts';
import { routes } from '../../functions/domain/routes.ts';
import { errorResponse } from '../support/fault-proxy.ts';
import { type Faulty, test } from '../support/faulty-stack.ts';
import { messages, requestTo } from '../support/function-events.ts';
import { approve, create, resend } from '../support/keyed-operations.ts';
import { mailEvent } from '../support/sample-mail-events.ts';
import { newOffer, newPaymentRequest, newSandboxes } from '../support/tenants.ts';
import { expectLine, useFunctions } from '../support/use-functions.ts';

const { deployed, tenant: direct } = await useFunctions();

/** Waits for a log line with these words in it. */
const lineWith = async (faulty: Faulty, ...words: readonly string[]) => {
  const find = () => faulty.logs.find((line) => words.every((word) => line.includes(word)));
  await expect.poll(find).toBeDefined();
  return JSON.parse(find() ?? '');
};

test('log lines say which request, whose and how it ended, and nothing that was sent', async ({
  faulty,
  tenant,
  send,
}) => {
  const reason = 'Confidential reason';
  const { id } = await newPaymentRequest(tenant.workspace);
  const offer = await newOffer(tenant.workspace);
  const { manager } = tenant;
  await send(approve, { id, manager });

  const responses = [
    await send(approve, { id, manager, reason }, 'secret-key'),
    await send(approve, { id, manager: 'nobody', reason }, 'secret-key'),
    await send(approve, { id: 'ptr_unknown', manager, reason }, 'secret-key'),
    await send(resend, { id: offer.id }, 'secret-key'),
  ];
  await lineWith(faulty, '"delivery":"dlv_', '"deliver-offer"');

  const [approved, , , resent] = responses.map(({ body }) => body);
  const changes = [
    { payment_request: id, approval: approved.approvals[1] },
    {},
    {},
    { offer: offer.id, delivery: resent.delivery.last_attempt.id },
  ];
  for (const [index, { headers, body, status }] of responses.entries()) {
    // What is behind the queue names the request too, maybe before the request's own line is read.
    expect(await lineWith(faulty, `${headers.get('request-id')}`, '"request"')).toMatchObject({
      level: 'INFO',
      workspace: tenant.workspace,
      status,
      ...(body.code && { code: body.code }),
      ...changes[index],
    });
  }
  const lines = faulty.logs.join('\n');
  for (const secret of [reason, tenant.token, offer.recipient_email, 'secret-key']) {
    expect(lines).not.toContain(secret);
  }
});

test('the line of a request names what it has created, that of a replay nothing', async ({
  faulty,
  send,
}) => {
  const [first, replay] = [
    await send(create, { name: 'Logged' }, 'k'),
    await send(create, { name: 'Logged' }, 'k'),
  ];
  const lineOf = ({ headers }: typeof first) =>
    lineWith(faulty, `${headers.get('request-id')}`, '"create-sandbox"');
  expect(await lineOf(first)).toMatchObject({ status: 201, sandbox: first.body.id });
  expect(await lineOf(replay)).not.toHaveProperty('sandbox');
});

// failures.test.ts has the line of a request that failed for good.
test('a request for which DynamoDB is not available is logged as a warning', async ({
  faulty,
  send,
}) => {
  const name = 'ThrottlingException';
  faulty.dynamodb.inject({ operation: 'PutItem', fault: errorResponse(name) });
  const { headers } = await send(create, { name: 'Failing' });
  const line = await lineWith(faulty, `${headers.get('request-id')}`);
  expect(line).toMatchObject({ level: 'WARN', status: 503, code: 'unavailable', error: { name } });
});

test('a resend is followed from its response to the bounce by nothing but its Request-Id', async ({
  faulty,
  tenant,
  send,
}) => {
  const offer = await newOffer(tenant.workspace);
  const response = await send(resend, { id: offer.id });
  const requestId = String(response.headers.get('request-id'));

  const lineOf = (service: string) => lineWith(faulty, requestId, service);

  const { token } = await lineOf('"resend-offer"');
  expect(token).toMatch(/^tok_/);
  const { delivery } = await lineOf('"relay-outbox"');
  expect(await lineOf('"deliver-offer"')).toMatchObject({
    level: 'INFO',
    request_id: requestId,
    delivery,
  });
  const mail = faulty.ses.seen.map(({ body }) => body).find((body) => body.includes(requestId));
  const { ConfigurationSetName, EmailTags } = JSON.parse(String(mail));

  // SES publishes the tags of a mail with its delivery events.
  const tags = EmailTags.map(({ Name, Value }: Record<string, string>) => [Name, [Value]]);
  const { detail } = JSON.parse(mailEvent({ offer: offer.id, id: delivery }, 'permanentBounce'));
  detail.mail.tags = {
    'ses:configuration-set': [ConfigurationSetName],
    ...Object.fromEntries(tags),
  };
  await new EventBridgeClient({ endpoint: faulty.stack.endpoints.eventbridge }).send(
    new PutEventsCommand({
      Entries: [{ Source: 'aws.ses', DetailType: 'Email Bounced', Detail: JSON.stringify(detail) }],
    }),
  );
  expect(await lineOf('"record-mail-event"')).toMatchObject({
    request_id: requestId,
    delivery,
    status: 'bounced',
    reason: 'permanent',
  });

  const items = await Array.fromAsync(scan(filterBy('author.#request = :id', { id: requestId })));
  expect(items).toMatchObject([{ id: delivery, status: 'bounced', author: { actor: token } }]);
});

test('the table holds no token, only hashes', async ({ tenant }) => {
  expect(JSON.stringify(await Array.fromAsync(scan()))).not.toContain(tenant.token);
});

test('a log line names the X-Ray trace of its invocation beside the request', async () => {
  const trace = '1-581cf771-a006649127e371903a2de979';
  const traced = (name: string) =>
    deployed(name, { _X_AMZN_TRACE_ID: `Root=${trace};Parent=53995c3f42cd8ad8;Sampled=0` });

  const list = traced('list-sandboxes');
  const event = requestTo(routes.listSandboxes, { tenant: direct });
  await list.invoke(event);
  const { requestId } = event.requestContext ?? {};
  expectLine(list, { request_id: requestId, xray_trace_id: trace });

  const provision = traced('provision-sandbox');
  const [sandbox] = await newSandboxes(direct.workspace, 1, 'provisioning');
  const message = { request_id: 'a', workspace: direct.workspace, sandbox: sandbox?.id };
  await provision.invoke(messages(JSON.stringify(message)));
  expectLine(provision, { ...message, xray_trace_id: trace });
});
