import { account, arn } from '../aws-account.ts';
import type { NewEvent } from '../event-bridge/event-buses.ts';
import type { AcceptedMail } from './mailbox.ts';

/** When something happened, in ISO 8601, and the id of its report. */
type Timing = Readonly<Record<'timestamp' | 'feedbackId', string>>;

const detailTypes = {
  Delivery: 'Email Delivered',
  Bounce: 'Email Bounced',
  Complaint: 'Email Complaint Received',
} as const;

/** The part of an event that says what happened to a mail. */
type Report = readonly [type: keyof typeof detailTypes, about: object];

/**
 * What Amazon SES reports of a mail to each address of its mailbox simulator, which may have a
 * label (`bounce+label@…`), as in "Using the mailbox simulator" and "Examples of event data that
 * Amazon SES publishes to EventBridge" in the SES developer guide.
 */
const reports: Readonly<Record<string, (recipient: string, at: Timing) => Report[]>> = {
  success: (recipient, { timestamp }) => [['Delivery', { timestamp, recipients: [recipient] }]],
  bounce: (recipient, at) => [bounce(recipient, at, 'General', 'smtp; 550 5.1.1 user unknown')],
  // The recipient has the mail, and reports it as spam.
  complaint: (emailAddress, at) => [
    ['Delivery', { timestamp: at.timestamp, recipients: [emailAddress] }],
    [
      'Complaint',
      { ...at, complainedRecipients: [{ emailAddress }], complaintFeedbackType: 'abuse' },
    ],
  ],
  suppressionlist: (recipient, at) => [
    bounce(recipient, at, 'Suppressed', 'Amazon SES has suppressed sending to this address'),
  ],
};

const simulatorAddress = new RegExp(
  `^(${Object.keys(reports).join('|')})(?:\\+[^@]*)?@simulator\\.amazonses\\.com$`,
  'i',
);

const bounce = (
  emailAddress: string,
  at: Timing,
  bounceSubType: string,
  diagnosticCode: string,
): Report => {
  const bouncedRecipients = [{ emailAddress, action: 'failed', status: '5.1.1', diagnosticCode }];
  return ['Bounce', { ...at, bounceType: 'Permanent', bounceSubType, bouncedRecipients }];
};

/**
 * The events that SES publishes about a mail to its mailbox simulator, but for the mail's headers.
 * A mail to any other address has none: here it has no recipient.
 *
 * @param nowMs milliseconds since the epoch
 */
export const simulatorEvents = ({ messageId, input }: AcceptedMail, nowMs: number): NewEvent[] => {
  const { FromEmailAddress, ConfigurationSetName = '', Destination = {}, EmailTags = [] } = input;
  const { ToAddresses = [], CcAddresses = [], BccAddresses = [] } = Destination;
  const recipients = [...ToAddresses, ...CcAddresses, ...BccAddresses];
  const timestamp = new Date(nowMs).toISOString();
  const mail = {
    timestamp,
    source: FromEmailAddress,
    sendingAccountId: account,
    messageId,
    destination: recipients,
    headersTruncated: false,
    tags: {
      'ses:configuration-set': [ConfigurationSetName],
      ...Object.fromEntries(EmailTags.map(({ Name, Value }) => [Name, [Value]])),
    },
  };
  return recipients.flatMap((recipient) => {
    const name = simulatorAddress.exec(recipient)?.[1]?.toLowerCase() ?? '';
    const reported = reports[name]?.(recipient, { timestamp, feedbackId: `feedback-${messageId}` });
    return (reported ?? []).map(([eventType, about]) => ({
      source: 'aws.ses',
      'detail-type': detailTypes[eventType],
      detail: { eventType, mail, [eventType.toLowerCase()]: about },
      resources: [arn('ses', `configuration-set/${ConfigurationSetName}`)],
    }));
  });
};
