import { SESv2Client, SendEmailCommand, type SendEmailRequest } from '@aws-sdk/client-sesv2';
import type { Stack } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ConfigurationSet, EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { type EngineOptions, startEngine } from '../engine.ts';
import { readEventDestinations } from '../ses/event-destinations.ts';
import { clientOf } from './client-of.ts';
import { addApi, readerOf, synthesize } from './small-assembly.ts';

const { DELIVERY, BOUNCE, COMPLAINT } = EmailSendingEvent;

/** Subscribes a configuration set of this name to events, on the default bus. */
const mail = (
  stack: Stack,
  configurationSetName: string,
  events: EmailSendingEvent[],
  enabled = true,
) => {
  const configurationSet = new ConfigurationSet(stack, configurationSetName, {
    configurationSetName,
  });
  const bus = EventBus.fromEventBusName(stack, `${configurationSetName}Bus`, 'default');
  const destination = EventDestination.eventBus(bus);
  configurationSet.addEventDestination('Events', { destination, events, enabled });
};

/** Runs a stack whose queue gets every event of SES, and returns what sends mail and what came. */
const start = async (build: (stack: Stack) => void, options: Partial<EngineOptions> = {}) => {
  const assemblyDirectory = synthesize((stack) => {
    addApi(stack);
    build(stack);
    new Rule(stack, 'Ses', {
      eventPattern: { source: ['aws.ses'] },
      targets: [new SqsQueue(new Queue(stack, 'Queue', { queueName: 'ses' }))],
    });
  });
  const stack = await startEngine({
    assemblyDirectory,
    log: () => {},
    // The stack has no table.
    dynamodbUrl: 'http://127.0.0.1:9',
    ...options,
  });
  onTestFinished(stack.stop);
  const client = clientOf(SESv2Client, stack.endpoints.ses);
  const send = async (to: string[], other: Partial<SendEmailRequest> = {}) => {
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
        ...other,
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
  return { stack, send, received };
};

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a mail to the mailbox simulator has the events of SES, with its tags', async () => {
  const { send, received } = await start((stack) =>
    mail(stack, 'offers', [DELIVERY, BOUNCE, COMPLAINT]),
  );
  const reported = async (name: string, count = 1) => {
    const messageId = await send([`${name}@simulator.amazonses.com`]);
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
  await send([labelled, 'a@example.com', success]);
  expect((await received(2)).map(({ 'detail-type': type }) => type)).toEqual([
    'Email Bounced',
    'Email Delivered',
  ]);
});

test('only what a configuration set subscribes to is published, and only of the simulator', async () => {
  const { send, received, stack } = await start((stack) => {
    mail(stack, 'offers', [BOUNCE]);
    mail(stack, 'off', [DELIVERY, BOUNCE], false);
  });
  const simulated = (name: string) => [`${name}@simulator.amazonses.com`];
  await send(simulated('success'));
  await send(simulated('complaint'));
  await send(simulated('bounce'), { ConfigurationSetName: 'off' });
  await send(simulated('bounce'), { ConfigurationSetName: 'unknown' });
  await send(simulated('bounce'), { ConfigurationSetName: undefined });
  for (const other of [
    'bounce@example.com',
    'bounce@simulator.amazonses.com.example.com',
    'no-bounce@simulator.amazonses.com',
    'bounces@simulator.amazonses.com',
    'bounce@a.simulator.amazonses.com',
  ]) {
    await send([other]);
  }
  const refused = send(simulated('bounce'), { FromEmailAddress: undefined });
  await expect(refused).rejects.toThrow();
  await send(simulated('bounce'));

  expect(await received(1)).toMatchObject([{ detail: { bounce: { bounceSubType: 'General' } } }]);
  expect(await stack.queues.receive('ses', { maximum: 10, waitMs: 0 })).toEqual([]);
});

test('SES refuses a bus that SES does not publish to, and other destinations', () => {
  const read = (EventDestination: object) => {
    const Properties = {
      ConfigurationSetName: 'offers',
      EventDestination: { Enabled: true, MatchingEventTypes: ['bounce'], ...EventDestination },
    };
    const Type = 'AWS::SES::ConfigurationSetEventDestination';
    const reader = readerOf({ Events: { Type, Properties } });
    readEventDestinations(reader);
    reader.requireRunnable();
  };
  const EventBusArn = 'arn:aws:events:us-east-1:000000000000:event-bus/own';
  expect(() => read({ EventBridgeDestination: { EventBusArn } })).toThrow(
    'Events: EventDestination.EventBridgeDestination.EventBusArn must be default',
  );
  expect(() =>
    read({ EventBridgeDestination: { EventBusArn: 'default' }, SnsDestination: {} }),
  ).toThrow('SnsDestination');
});
