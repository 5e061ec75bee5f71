import { account, arn } from '../aws-account.ts';
import type { NewEvent } from '../event-bridge/event-buses.ts';
import type { AcceptedMail } from './mailbox.ts';

/** The part of an event that says what happened to a mail. */
interface Report {
  readonly eventType: 'Delivery' | 'Bounce' | 'Complaint';
  readonly detailType: string;
  readonly about: object;
}

/**
 * What Amazon SES reports of a mail to each address of its mailbox simulator, which may have a
 * label (`bounce+label@…`), as in "Using the mailbox simulator" and "Examples of event data that
 * Amazon SES publishes to EventBridge" in the SES developer guide.
 */
const reports: Readonly<Record<string, (recipient: string, at: Timing) => Report[]>> = {
  success: (recipient, at) => [delivery(recipient, at)],
  bounce: (recipient, at) => [bounce(recipient, at, 'General', 'smtp; 550 5.1.1 user unknown')],
  // The recipient has the mail, and reports it as spam.
  complaint: (recipient, at) => [delivery(recipient, at), complaint(recipient, at)],
  suppressionlist: (recipient, at) => [
    bounce(recipient, at, 'Suppressed', 'Amazon SES has suppressed sending to this address'),
  ],
};

const simulatorAddress = new RegExp(
  `^(${Object.keys(reports).join('|')})(?:\\+[^@]*)?@simulator\\.amazonses\\.com$`,
  'i',
);

/** When something happened, in ISO 8601, and the id of its report. */
type Timing = Readonly<Record<'timestamp' | 'feedbackId', string>>;

const delivery = (recipient: string, { timestamp }: Timing): Report => ({
  eventType: 'Delivery',
  detailType: 'Email Delivered',
  about: { timestamp, recipients: [recipient] },
});

const bounce = (
  emailAddress: string,
  at: Timing,
  bounceSubType: string,
  diagnosticCode: string,
): Report => ({
  eventType: 'Bounce',
  detailType: 'Email Bounced',
  about: {
    ...at,
    bounceType: 'Permanent',
    bounceSubType,
    bouncedRecipients: [{ emailAddress, action: 'failed', status: '5.1.1', diagnosticCode }],
  },
});

const complaint = (emailAddress: string, at: Timing): Report => ({
  eventType: 'Complaint',
  detailType: 'Email Complaint Received',
  about: { ...at, complainedRecipients: [{ emailAddress }], complaintFeedbackType: 'abuse' },
});

/**
 * The events that SES publishes about a mail to its mailbox simulator, but for the mail's headers.
 * A mail to any other address has none: here it has no recipient.
 *
 * @param nowMs milliseconds since the epoch
 */
export const simulatorEvents = ({ messageId, input }: AcceptedMail, nowMs: number): NewEvent[] => {
  const { FromEmailAddress, ConfigurationSetName = '', Destination = {}, EmailTags = [] } = input;
  const recipients = Object.values(Destination).flat();
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
    const about = reports[name]?.(recipient, { timestamp, feedbackId: `feedback-${messageId}` });
    return (about ?? []).map(({ eventType, detailType, about }) => ({
      source: 'aws.ses',
      'detail-type': detailType,
      detail: { eventType, mail, [eventType.toLowerCase()]: about },
      resources: [arn('ses', `configuration-set/${ConfigurationSetName}`)],
    }));
  });
};
