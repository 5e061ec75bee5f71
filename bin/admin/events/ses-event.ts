import { PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { account, arn } from '../../../lib/local/aws-account.ts';
import type { Service } from '../service/connect.ts';
import type { MailedAttempt } from '../table/offers.ts';
import { AdminError } from '../terminal/admin-error.ts';

/** The possible ends of a mail that SES has accepted. */
export const mailEvents = ['delivered', 'bounced', 'complained'] as const;
/** A mail event that can be simulated. */
export type MailEventName = (typeof mailEvents)[number];

const bounces = {
  permanent: { bounceType: 'Permanent', bounceSubType: 'General', status: '5.1.1' },
  transient: { bounceType: 'Transient', bounceSubType: 'MailboxFull', status: '4.2.2' },
  undetermined: { bounceType: 'Undetermined', bounceSubType: 'Undetermined', status: '5.0.0' },
} as const;
/** A type of bounce as Amazon SES reports it. */
export type BounceType = keyof typeof bounces;
/** Every type of bounce. */
export const bounceTypes = Object.keys(bounces) as BounceType[];

/** What happened to a mail. */
export interface SesReport {
  readonly event: MailEventName;
  /** Of a bounce. */
  readonly bounceType: BounceType;
  readonly workspace: string;
  readonly attempt: MailedAttempt;
  readonly recipient: string;
  readonly configurationSet: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly now: string;
}

/**
 * An event as SES publishes it through a configuration set, but for the mail's headers ("Examples
 * of event data that Amazon SES publishes to EventBridge" in the SES developer guide).
 */
export const sesEvent = (report: SesReport): PutEventsRequestEntry => {
  const { detailType, ...what } = about(report);
  const { configurationSet } = report;
  return {
    Source: 'aws.ses',
    DetailType: detailType,
    Resources: [arn('ses', `configuration-set/${configurationSet}`)],
    Detail: JSON.stringify({ ...what, mail: mail(report) }),
  };
};

const mail = ({ workspace, attempt, recipient, configurationSet }: SesReport) => ({
  timestamp: attempt.created,
  sendingAccountId: account,
  // Without a message id, SES has not answered the attempt yet.
  messageId: attempt.message_id ?? `local-${attempt.id}`,
  destination: [recipient],
  headersTruncated: false,
  tags: {
    'ses:configuration-set': [configurationSet],
    workspace: [workspace],
    offer: [attempt.offer],
    delivery_attempt: [attempt.id],
    request_id: [attempt.author.request],
  },
});

const about = ({ event, bounceType, attempt, recipient, now: timestamp }: SesReport) => {
  const feedbackId = `local-${attempt.id}`;
  switch (event) {
    case 'delivered':
      return {
        detailType: 'Email Delivered',
        eventType: 'Delivery',
        delivery: {
          timestamp,
          processingTimeMillis: 546,
          recipients: [recipient],
          smtpResponse: '250 ok',
          reportingMTA: 'mta.example.com',
        },
      };
    case 'bounced': {
      const { status, ...type } = bounces[bounceType];
      const diagnosticCode = `smtp; ${status}`;
      return {
        detailType: 'Email Bounced',
        eventType: 'Bounce',
        bounce: {
          ...type,
          bouncedRecipients: [
            { emailAddress: recipient, action: 'failed', status, diagnosticCode },
          ],
          timestamp,
          feedbackId,
          reportingMTA: 'dsn; mta.example.com',
        },
      };
    }
    case 'complained':
      return {
        detailType: 'Email Complaint Received',
        eventType: 'Complaint',
        complaint: {
          complainedRecipients: [{ emailAddress: recipient }],
          timestamp,
          feedbackId,
          complaintSubType: null,
          complaintFeedbackType: 'abuse',
          arrivalDate: timestamp,
        },
      };
  }
};

/**
 * Publishes what happened to a mail, as SES would.
 *
 * @throws AdminError when the bus refuses the event
 */
export const publishMailEvent = async (
  { eventBridge }: Pick<Service, 'eventBridge'>,
  report: Omit<SesReport, 'now'>,
): Promise<{ readonly eventId: string; readonly detailType: string | undefined }> => {
  const entry = sesEvent({ ...report, now: new Date().toISOString() });
  const { Entries: [result] = [] } = await eventBridge.send(
    new PutEventsCommand({ Entries: [entry] }),
  );
  if (!result?.EventId)
    throw new AdminError(`The event bus rejected the event: ${result?.ErrorMessage}`);
  return { eventId: result.EventId, detailType: entry.DetailType };
};
