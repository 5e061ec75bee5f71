import { expect, test } from 'vitest';
import { simulatorEvents } from '../ses/mailbox-simulator.ts';

const nowMs = Date.UTC(2026, 0, 2);

const eventsOf = (...addresses: string[]) =>
  simulatorEvents(
    {
      messageId: 'm-1',
      input: {
        FromEmailAddress: 'offers@example.com',
        ConfigurationSetName: 'offers',
        Destination: { ToAddresses: addresses },
        EmailTags: [{ Name: 'offer', Value: 'ofr_1' }],
      },
    },
    nowMs,
  );

const simulated = (name: string) => `${name}@simulator.amazonses.com`;
const delivery = (recipient: string) => [
  'Email Delivered',
  { eventType: 'Delivery', delivery: expect.objectContaining({ recipients: [recipient] }) },
];
const bounce = (emailAddress: string, bounceSubType: string) => {
  const recipient = expect.objectContaining({ emailAddress, status: '5.1.1' });
  const about = { bounceType: 'Permanent', bounceSubType, bouncedRecipients: [recipient] };
  return ['Email Bounced', { eventType: 'Bounce', bounce: expect.objectContaining(about) }];
};
const complaint = (emailAddress: string) => {
  const about = expect.objectContaining({ complainedRecipients: [{ emailAddress }] });
  return ['Email Complaint Received', { eventType: 'Complaint', complaint: about }];
};
const labelled = 'Bounce+offer-1.x@Simulator.AmazonSES.com';

test.each([
  [simulated('success'), [delivery(simulated('success'))]],
  [simulated('bounce'), [bounce(simulated('bounce'), 'General')]],
  [labelled, [bounce(labelled, 'General')]],
  [simulated('suppressionlist'), [bounce(simulated('suppressionlist'), 'Suppressed')]],
  // The recipient has the mail, and reports it as spam.
  [simulated('complaint'), [delivery(simulated('complaint')), complaint(simulated('complaint'))]],
  ['bounce@example.com', []],
  [simulated('bounces'), []],
])('a mail to %s has the events of SES, with its tags', (address, expected) => {
  const events = eventsOf(address, 'a@example.com').map(({ detail, ...event }) => {
    const { mail, ...about } = detail as Record<string, unknown>;
    expect(event).toMatchObject({ source: 'aws.ses' });
    expect(mail).toEqual({
      timestamp: '2026-01-02T00:00:00.000Z',
      source: 'offers@example.com',
      sendingAccountId: '000000000000',
      messageId: 'm-1',
      destination: [address, 'a@example.com'],
      headersTruncated: false,
      tags: { 'ses:configuration-set': ['offers'], offer: ['ofr_1'] },
    });
    return [event['detail-type'], about];
  });
  expect(events).toEqual(expected);
});
