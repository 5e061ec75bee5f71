import { randomUUID } from 'node:crypto';
import type { DeliveryAttempt } from '../../functions/domain/offer.ts';

/** What the events hold that must not get out of them. */
export const confidential = {
  emailAddress: 'worker@example.com',
  diagnosticCode: 'smtp; 550 5.1.1 Ms Doe has left',
} as const;

const bounce = (bounceType: string, bounceSubType: string) => ({
  type: 'Bounce',
  detailType: 'Email Bounced',
  about: { bounceType, bounceSubType, bouncedRecipients: [confidential] },
});

const complaint = (complaintSubType: string | null, complaintFeedbackType?: string) => ({
  type: 'Complaint',
  detailType: 'Email Complaint Received',
  about: { complaintSubType, complaintFeedbackType, complainedRecipients: [confidential] },
});

/** What SES can report of a mail that it has accepted. */
const reports = {
  delivery: { type: 'Delivery', detailType: 'Email Delivered', about: {} },
  transientBounce: bounce('Transient', 'MailboxFull'),
  undeterminedBounce: bounce('Undetermined', 'Undetermined'),
  permanentBounce: bounce('Permanent', 'General'),
  suppressedBounce: bounce('Permanent', 'OnAccountSuppressionList'),
  complaint: complaint(null),
  abuse: complaint(null, 'abuse'),
  notSpam: complaint(null, 'not-spam'),
  authFailure: complaint(null, 'Auth-Failure'),
  suppressedComplaint: complaint('OnAccountSuppressionList'),
} as const;
export type Report = keyof typeof reports;

/**
 * A message of the queue that EventBridge fills: the whole event, as in "Examples of event data
 * that Amazon SES publishes" (SES Developer Guide).
 */
export const mailEvent = (
  { offer, id }: Pick<DeliveryAttempt, 'offer' | 'id'>,
  report: Report,
  workspace = 'wsp_1',
): string => {
  const { type, detailType, about } = reports[report];
  return JSON.stringify({
    version: '0',
    id: randomUUID(),
    'detail-type': detailType,
    source: 'aws.ses',
    account: '123456789012',
    time: '2026-11-01T10:00:00Z',
    region: 'us-east-1',
    resources: ['arn:aws:ses:us-east-1:123456789012:configuration-set/offers'],
    detail: {
      eventType: type,
      mail: {
        timestamp: '2026-11-01T10:00:00.000Z',
        source: 'offers@example.com',
        sendingAccountId: '123456789012',
        messageId: '0100018d-1234-abcd-ef01-234567890abc-000000',
        destination: [confidential.emailAddress],
        headersTruncated: false,
        tags: {
          'ses:source-tls-version': ['TLSv1.3'],
          'ses:configuration-set': ['offers'],
          request_id: ['run_test'],
          workspace: [workspace],
          offer: [offer],
          delivery_attempt: [id],
        },
      },
      [type.toLowerCase()]: { timestamp: '2026-11-01T10:00:01.000Z', ...about },
    },
  });
};
