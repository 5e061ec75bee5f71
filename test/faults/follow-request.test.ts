import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { expect, test } from 'vitest';
import { scan } from '../../bin/admin/table/scan.ts';
import { eventually } from '../support/eventually.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { resend } from '../support/keyed-operations.ts';
import { newOffer } from '../support/tenants.ts';

const { faulty, tenant, send } = useFaultyStack();

test('a resend is followed from its answer to the bounce by nothing but its Request-Id', async () => {
  const offer = await newOffer(tenant.workspace);
  const answer = await send(resend, { id: offer.id });
  const requestId = String(answer.headers.get('request-id'));

  /** The log lines of a function that contain the id. */
  const lineOf = (service: string) =>
    eventually(async () => {
      const found = faulty.logs.find((line) => line.includes(requestId) && line.includes(service));
      return found && JSON.parse(found);
    });

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
  await new EventBridgeClient({ endpoint: faulty.stack.endpoints.eventbridge }).send(
    new PutEventsCommand({
      Entries: [
        {
          Source: 'aws.ses',
          DetailType: 'Email Bounced',
          Detail: JSON.stringify({
            eventType: 'Bounce',
            bounce: { bounceType: 'Permanent', bounceSubType: 'General' },
            mail: {
              tags: {
                'ses:configuration-set': [ConfigurationSetName],
                ...Object.fromEntries(tags),
              },
            },
          }),
        },
      ],
    }),
  );
  expect(await lineOf('"record-mail-event"')).toMatchObject({
    request_id: requestId,
    delivery,
    status: 'bounced',
    reason: 'permanent',
  });

  const items = await Array.fromAsync(
    scan({
      FilterExpression: 'author.#request = :id',
      ExpressionAttributeNames: { '#request': 'request' },
      ExpressionAttributeValues: { ':id': requestId },
    }),
  );
  expect(items).toMatchObject([{ id: delivery, status: 'bounced', author: { actor: token } }]);
});
