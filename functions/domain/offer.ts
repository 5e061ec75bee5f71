import * as z from 'zod/mini';
import { EmailAddress } from './address.ts';
import { DeliveryAttemptId, OfferId, Timestamp } from './identifiers.ts';
import { Problem } from './problem.ts';

/**
 * `queued` until a consumer takes it, and again while SES takes no mail; `sending` while it talks
 * to SES, then `sent` or `failed`; `simulated` in a test workspace, whose mail never leaves. A mail
 * that was sent may turn out to be `delivered`, `bounced` or `complained` about.
 */
export const DeliveryStatus = z.enum([
  'queued',
  'sending',
  'sent',
  'failed',
  'simulated',
  'delivered',
  'bounced',
  'complained',
]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/**
 * The statuses in which a delivery attempt ends, each with the attribute of its time. A mail that
 * was sent may reach several in turn, and `bounced` again with a more significant reason.
 */
export const endTimes = {
  sent: 'sent_at',
  simulated: 'simulated_at',
  failed: 'failed_at',
  delivered: 'delivered_at',
  bounced: 'bounced_at',
  complained: 'complained_at',
} as const;

/** Why SES will never take a mail; `restored` is set when the table is (lib/RESTORE.md). */
export const failureReasons = ['message_rejected', 'invalid_message', 'restored'] as const;
export type FailureReason = (typeof failureReasons)[number];

/** Why a mail bounced, in SES's types of bounces and one of ours. */
export const bounceReasons = ['transient', 'undetermined', 'suppressed', 'permanent'] as const;
export type BounceReason = (typeof bounceReasons)[number];

/**
 * One e-mail of an offer. `reason` says why it failed or bounced; it is a code of ours, never the
 * provider's text.
 */
export const DeliveryAttempt = z.object({
  id: DeliveryAttemptId,
  offer: OfferId,
  status: DeliveryStatus,
  reason: z.optional(z.string()),
  created: Timestamp,
  updated: Timestamp,
});
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** What an offer shows of its last attempt. */
export const AttemptSummary = z.pick(DeliveryAttempt, {
  id: true,
  status: true,
  reason: true,
  created: true,
});

export type DeliveryResult =
  | { readonly status: 'simulated' }
  | { readonly status: 'sent'; readonly message_id: string }
  | { readonly status: 'failed'; readonly reason: FailureReason };

/** An offer, and how many delivery attempts it has. */
export const Offer = z.object({
  id: OfferId,
  status: z.enum(['draft', 'sent', 'accepted', 'declined', 'expired', 'voided']),
  recipient_email: EmailAddress,
  attempts: z.int().check(z.gte(0)),
  created: Timestamp,
  updated: Timestamp,
});
export type Offer = z.infer<typeof Offer>;

/** An offer as the API returns it. Of its attempts, it shows the last one. */
export const presentOffer = (
  { attempts, created, updated, ...offer }: Offer,
  last?: DeliveryAttempt,
) => ({
  ...offer,
  delivery: { attempts, last_attempt: last ? AttemptSummary.parse(last) : null },
  created,
  updated: last && last.updated > updated ? last.updated : updated,
});
export type PresentedOffer = ReturnType<typeof presentOffer>;

/** An attempt that waits for a consumer. */
export const newDeliveryAttempt = (
  offer: string,
  opaque: string,
  now: string,
): DeliveryAttempt => ({
  id: `dlv_${opaque}`,
  offer,
  status: 'queued',
  created: now,
  updated: now,
});

/** What a client reads about an offer that cannot be sent. */
const statusSentences = {
  draft: 'The offer is a draft.',
  accepted: 'The offer has been accepted.',
  declined: 'The offer has been declined.',
  expired: 'The offer has expired.',
  voided: 'The offer has been voided.',
} as const satisfies Partial<Record<Offer['status'], string>>;

/**
 * The offer after one more delivery attempt.
 *
 * @throws Problem `offer_not_sent`
 */
export const resend = (offer: Offer, attempt: DeliveryAttempt): Offer => {
  if (offer.status !== 'sent') {
    throw new Problem('offer_not_sent', statusSentences[offer.status]);
  }
  return { ...offer, attempts: offer.attempts + 1, updated: attempt.created };
};
