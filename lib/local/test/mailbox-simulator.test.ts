import { expect, test } from 'vitest';
import { simulatorEvents } from '../ses/mailbox-simulator.ts';

const delivered = ['Email Delivered', { eventType: 'Delivery', delivery: {} }] as const;
const bounced = (bounceSubType: string) =>
  ['Email Bounced', { eventType: 'Bounce', bounce: { bounceSubType } }] as const;
const complained = ['Email Complaint Received', { eventType: 'Complaint', complaint: {} }] as const;

test.each<[string, (readonly [type: string, detail: object])[]]>([
  ['success@simulator.amazonses.com', [delivered]],
  ['bounce@simulator.amazonses.com', [bounced('General')]],
  ['Bounce+offer-1.x@Simulator.AmazonSES.com', [bounced('General')]],
  ['suppressionlist@simulator.amazonses.com', [bounced('Suppressed')]],
  // The recipient has the mail, and reports it as spam.
  ['complaint@simulator.amazonses.com', [delivered, complained]],
  ['bounce@example.com', []],
  ['bounces@simulator.amazonses.com', []],
])('a mail to %s has the events of SES, with its tags', (address, expected) => {
  const input = {
    FromEmailAddress: 'offers@example.com',
    ConfigurationSetName: 'offers',
    Destination: { ToAddresses: [address, 'a@example.com'] },
    EmailTags: [{ Name: 'offer', Value: 'ofr_1' }],
  };
  const mail = {
    timestamp: '2026-01-02T00:00:00.000Z',
    source: 'offers@example.com',
    messageId: 'm-1',
    destination: [address, 'a@example.com'],
    tags: { 'ses:configuration-set': ['offers'], offer: ['ofr_1'] },
  };
  const events = simulatorEvents({ messageId: 'm-1', input }, Date.UTC(2026, 0, 2));
  expect(events).toMatchObject(
    expected.map(([type, detail]) => ({ 'detail-type': type, detail: { ...detail, mail } })),
  );
});
