import type { DeliveryResult } from '../domain/offer.ts';

/** A mail that SES does not take now, and would take later: nothing was sent. */
export interface HeldMail {
  readonly status: 'held';
  readonly reason:
    | 'sending_rate'
    | 'daily_quota'
    | 'account_paused'
    | 'not_verified'
    | 'not_configured';
}

/** A mail that SES will never take. */
type FailedMail = Extract<DeliveryResult, { status: 'failed' }>;

/** What SES says when it refuses a mail. */
interface SesError {
  readonly name: string;
  readonly message: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const held = (reason: HeldMail['reason']): HeldMail => ({ status: 'held', reason });
const failed = (reason: FailedMail['reason']): FailedMail => ({ status: 'failed', reason });

/**
 * Refusals that concern more than one mail, by SES's exception or sentence: the same sentence comes
 * in several exceptions. A rate or a quota has been seen as TooManyRequestsException (429) and
 * LimitExceededException, and is documented as ThrottlingException (SES Developer Guide, "Errors
 * related to the sending quotas" and "Amazon SES email sending errors"; SES API v2, SendEmail and
 * "Common errors"). An account or a configuration set that is paused is documented for API v1 with
 * exceptions of other names. Superlinear, in the length of SES's sentence.
 */
const heldMails: readonly [RegExp, HeldMail][] = [
  [/daily (message|sending) quota exceeded/i, held('daily_quota')],
  [/sending rate exceeded|^(TooManyRequests|Throttling)/i, held('sending_rate')],
  [/^LimitExceeded/, held('daily_quota')],
  [
    /(account|sending)\b[^@]* (paused|suspended|disabled)\b(?!@)|(Paused|Suspended)Exception$/i,
    held('account_paused'),
  ],
  // In SES's sandbox also the recipient, who gets the mail once the account has left it.
  [/not verified|^MailFromDomainNotVerified/i, held('not_verified')],
  [/configuration set .*does not exist|^(NotFound|AccessDenied)/i, held('not_configured')],
];

/**
 * What a refusal of SES means for a mail.
 *
 * @returns undefined if SES may have sent it, or nobody knows what the error means
 */
export const resultOf = (error: unknown): HeldMail | FailedMail | undefined => {
  const { name, message, $metadata: { httpStatusCode: status = 500 } = {} } = error as SesError;
  if (status >= 500) return undefined;
  const [, found] = heldMails.find(([sign]) => sign.test(name) || sign.test(message)) ?? [];
  if (found) return found;
  if (status === 429) return held('sending_rate');
  if (name === 'MessageRejected') return failed('message_rejected');
  if (name === 'BadRequestException') return failed('invalid_message');
  return undefined;
};

/**
 * SES's sentence about a mail, without the address of its recipient. Superlinear, in its length.
 */
export const sentenceOf = (
  error: unknown,
  { sender, recipient }: Record<'sender' | 'recipient', string>,
): string =>
  (error as SesError).message
    .replaceAll(recipient, '(recipient)')
    .replaceAll(/[^\s<>,;:"']+@[^\s<>,;:"']+/g, (address) =>
      address.toLowerCase() === sender.toLowerCase() ? address : '(address)',
    );

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * How long the message of a held mail waits. SES measures its daily quota over the last 24 hours,
 * and a paused account or an unverified address waits for a person. The rate is used up by other
 * senders of the account, or `mailsAtOnce` is too high: each wait is twice as long.
 *
 * @param receives how often the message has come
 */
export const waitMsOf = ({ reason }: HeldMail, receives: number): number =>
  reason === 'sending_rate' ? Math.min(hourMs, minuteMs * 2 ** receives) : hourMs;
