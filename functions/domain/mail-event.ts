import * as z from 'zod/mini';
import { Author } from './author.ts';
import { DeliveryAttemptId, OfferId, WorkspaceId } from './identifiers.ts';
import type { BounceReason, DeliveryAttempt } from './offer.ts';

/** Each tag that a mail was sent with comes back as a list (SES Developer Guide, "Mail object"). */
const mail = z.object({
  tags: z.object({
    request_id: z.tuple([Author.shape.request]),
    workspace: z.tuple([WorkspaceId]),
    offer: z.tuple([OfferId]),
    delivery_attempt: z.tuple([DeliveryAttemptId]),
  }),
});

/** An event of SES as EventBridge carries it; most of it, such as addresses, is not even read. */
const SesEvent = z.object({
  detail: z.discriminatedUnion('eventType', [
    z.object({ eventType: z.literal('Delivery'), mail }),
    z.object({
      eventType: z.literal('Bounce'),
      mail,
      bounce: z.object({
        bounceType: z.enum(['Transient', 'Undetermined', 'Permanent']),
        bounceSubType: z.string(),
      }),
    }),
    z.object({
      eventType: z.literal('Complaint'),
      mail,
      complaint: z.optional(
        z.object({
          complaintSubType: z.nullish(z.string()),
          complaintFeedbackType: z.nullish(z.string()),
        }),
      ),
    }),
  ]),
});
type SesEvent = z.infer<typeof SesEvent>;

/** The result of a mail that SES had accepted; still `sent` where the event reports no change. */
export type MailResult =
  | { readonly status: 'sent' | 'delivered' | 'complained' }
  | { readonly status: 'bounced'; readonly reason: BounceReason };

/** SES did not even try: earlier mails to this address have bounced or were complained about. */
const suppressed = /^(Suppressed|OnAccountSuppressionList)$/;

/**
 * Feedback types of reports that complain of nothing: the recipient wants the mail, or a server
 * could not authenticate its sender (IANA, "Messaging Abuse Reporting Format (MARF) Parameters").
 */
const noComplaint = /^(not-spam|auth-failure)$/i;

const resultOf = ({ detail }: SesEvent): MailResult => {
  switch (detail.eventType) {
    case 'Delivery':
      return { status: 'delivered' };
    case 'Bounce': {
      const { bounceType, bounceSubType } = detail.bounce;
      const type = bounceType.toLowerCase() as Lowercase<typeof bounceType>;
      return { status: 'bounced', reason: suppressed.test(bounceSubType) ? 'suppressed' : type };
    }
    case 'Complaint': {
      const { complaintSubType, complaintFeedbackType } = detail.complaint ?? {};
      if (suppressed.test(complaintSubType ?? '')) {
        return { status: 'bounced', reason: 'suppressed' };
      }
      return { status: noComplaint.test(complaintFeedbackType ?? '') ? 'sent' : 'complained' };
    }
  }
};

/** The event in our terms: which attempt, and what became of it. */
export const MailEvent = z.pipe(
  SesEvent,
  z.transform((event) => {
    const { request_id, workspace, offer, delivery_attempt } = event.detail.mail.tags;
    return {
      request_id: request_id[0],
      workspace: workspace[0],
      offer: offer[0],
      delivery: delivery_attempt[0],
      ...resultOf(event),
    };
  }),
);
export type MailEvent = z.infer<typeof MailEvent>;

/** From least to most significant; every status of our own sending is less significant. */
const results = [
  'bounced transient',
  // After a delivery a transient bounce is an automatic reply; any other is a bounce that came
  // late.
  'delivered',
  'bounced undetermined',
  'bounced suppressed',
  'bounced permanent',
  'complained',
];

const weight = ({ status, reason }: { status: string; reason?: string }) =>
  results.indexOf(reason ? `${status} ${reason}` : status);

/**
 * Whether an event changes the status of its attempt. SES's events come late, twice and in any
 * order; because only a more significant status counts, every order has the same end.
 */
export const isMoreSignificant = (
  result: MailResult,
  attempt: Pick<DeliveryAttempt, 'status' | 'reason'>,
) => attempt.status !== 'simulated' && weight(result) > weight(attempt);
