import { expect, test } from 'vitest';
import { simulatorEvents } from '../ses/mailbox-simulator.ts';

/** What the events of a mail to the address say, besides the mail. */
type Reports = (emailAddress: string) => [detailType: string, detail: object][];

const delivered: Reports = (recipient) => [
  ['Email Delivered', { eventType: 'Delivery', delivery: { recipients: [recipient] } }],
];
const bounced =
  (bounceSubType: string): Reports =>
  (emailAddress) => {
    const bouncedRecipients = [{ emailAddress, status: '5.1.1' }];
    const bounce = { bounceType: 'Permanent', bounceSubType, bouncedRecipients };
    return [['Email Bounced', { eventType: 'Bounce', bounce }]];
  };
// The recipient has the mail, and reports it as spam.
const complained: Reports = (emailAddress) => {
  const complaint = { complainedRecipients: [{ emailAddress }] };
  const event = { eventType: 'Complaint', complaint };
  return [...delivered(emailAddress), ['Email Complaint Received', event]];
};

test.each<[string, Reports]>([
  ['success@simulator.amazonses.com', delivered],
  ['bounce@simulator.amazonses.com', bounced('General')],
  ['Bounce+offer-1.x@Simulator.AmazonSES.com', bounced('General')],
  ['suppressionlist@simulator.amazonses.com', bounced('Suppressed')],
  ['complaint@simulator.amazonses.com', complained],
  ['bounce@example.com', () => []],
  ['bounces@simulator.amazonses.com', () => []],
])('a mail to %s has the events of SES, with its tags', (address, reports) => {
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
    reports(address).map(([detailType, detail]) => ({
      source: 'aws.ses',
      'detail-type': detailType,
      detail: { ...detail, mail },
    })),
  );
});
