import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { expect, onTestFinished, test } from 'vitest';
import { startEngine } from '../engine.ts';
import { clientOf } from './client-of.ts';
import { arnOf, assemblyOf, resource } from './small-assembly.ts';

/** Runs a template whose queue gets every event of SES: what sends mail, and what came. */
const start = async () => {
  const stack = await startEngine({
    assemblyDirectory: assemblyOf({
      Queue: resource('AWS::SQS::Queue', { QueueName: 'ses' }),
      Rule: resource('AWS::Events::Rule', {
        EventPattern: { source: ['aws.ses'] },
        Targets: [{ Id: '1', Arn: arnOf('Queue') }],
      }),
    }),
    log: () => {},
    // The stack has no table.
    dynamodbUrl: 'http://127.0.0.1:9',
  });
  onTestFinished(stack.stop);
  const client = clientOf(SESv2Client, stack.endpoints.ses);
  const send = async (...to: string[]) => {
    const { MessageId } = await client.send(
      new SendEmailCommand({
        FromEmailAddress: 'offers@example.com',
        Destination: { ToAddresses: to },
        ConfigurationSetName: 'offers',
        EmailTags: [
          { Name: 'offer', Value: 'ofr_1' },
          { Name: 'request_id', Value: 'run_1' },
        ],
        Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Text: { Data: 'Hi' } } } },
      }),
    );
    return MessageId;
  };
  const received = async (count: number) => {
    const events: { 'detail-type': string; detail: Record<string, unknown> }[] = [];
    while (events.length < count) {
      const messages = await stack.queues.receive('ses', { maximum: 10, waitMs: 20_000 });
      if (messages.length === 0) break;
      events.push(...messages.map(({ body }) => JSON.parse(body)));
    }
    return events;
  };
  return { send, received };
};

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a mail to the mailbox simulator has the events of SES, with its tags', async () => {
  const { send, received } = await start();
  const reported = async (name: string, count = 1) => {
    const messageId = await send(`${name}@simulator.amazonses.com`);
    const events = await received(count);
    for (const event of events) {
      expect(event).toMatchObject({
        source: 'aws.ses',
        account: '000000000000',
        region: 'us-east-1',
        resources: ['arn:aws:ses:us-east-1:000000000000:configuration-set/offers'],
        detail: {
          mail: {
            timestamp,
            source: 'offers@example.com',
            sendingAccountId: '000000000000',
            messageId,
            destination: [`${name}@simulator.amazonses.com`],
            headersTruncated: false,
            tags: {
              'ses:configuration-set': ['offers'],
              offer: ['ofr_1'],
              request_id: ['run_1'],
            },
          },
        },
      });
    }
    return events.map(({ 'detail-type': type, detail: { mail: _, ...about } }) => [type, about]);
  };

  const delivery = (recipient: string) => [
    'Email Delivered',
    {
      eventType: 'Delivery',
      delivery: expect.objectContaining({ timestamp, recipients: [recipient] }),
    },
  ];
  const bounce = (emailAddress: string, bounceSubType: string) => [
    'Email Bounced',
    {
      eventType: 'Bounce',
      bounce: expect.objectContaining({
        bounceType: 'Permanent',
        bounceSubType,
        bouncedRecipients: [
          expect.objectContaining({ emailAddress, action: 'failed', status: '5.1.1' }),
        ],
        timestamp,
        feedbackId: expect.any(String),
      }),
    },
  ];
  const success = 'success@simulator.amazonses.com';
  expect(await reported('success')).toEqual([delivery(success)]);
  expect(await reported('bounce')).toEqual([bounce('bounce@simulator.amazonses.com', 'General')]);
  expect(await reported('suppressionlist')).toEqual([
    bounce('suppressionlist@simulator.amazonses.com', 'Suppressed'),
  ]);
  const complaint = 'complaint@simulator.amazonses.com';
  expect(await reported('complaint', 2)).toEqual([
    // The recipient has the mail, and reports it as spam.
    delivery(complaint),
    [
      'Email Complaint Received',
      {
        eventType: 'Complaint',
        complaint: expect.objectContaining({
          complainedRecipients: [{ emailAddress: complaint }],
          complaintSubType: null,
          complaintFeedbackType: 'abuse',
          timestamp,
        }),
      },
    ],
  ]);
  // With a label, in any case.
  const labelled = 'Bounce+offer-1.x@Simulator.AmazonSES.com';
  for (const other of [
    'bounce@example.com',
    'bounce@simulator.amazonses.com.example.com',
    'no-bounce@simulator.amazonses.com',
    'bounces@simulator.amazonses.com',
  ]) {
    await send(other);
  }
  await send(labelled, 'a@example.com', success);
  expect((await received(2)).map(({ 'detail-type': type }) => type)).toEqual([
    'Email Bounced',
    'Email Delivered',
  ]);
});
