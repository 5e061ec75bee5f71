/** A mail that SES does not take now, and would take later: nothing was sent. */
export interface HeldMail {
  readonly status: 'held';
  readonly reason:
    | 'sending_rate'
    | 'daily_quota'
    | 'account_paused'
    | 'sender_not_verified'
    | 'not_configured';
}

/** A mail that SES will never take. */
export interface RefusedMail {
  readonly status: 'failed';
  readonly reason: 'message_rejected' | 'invalid_message' | 'recipient_not_verified';
}

/** The addresses of a mail. */
export interface MailAddresses {
  readonly sender: string;
  readonly recipient: string;
}

/** What SES says when it refuses a mail. */
interface SesError {
  readonly name: string;
  readonly message: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const held = (reason: HeldMail['reason']): HeldMail => ({ status: 'held', reason });
const failed = (reason: RefusedMail['reason']): RefusedMail => ({ status: 'failed', reason });

/**
 * What is wrong with more than one mail, by SES's exception or sentence: one sentence comes in
 * several exceptions. A rate or a quota has been seen as TooManyRequestsException (429) and
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
  [/mail from domain is not verified|^MailFromDomainNotVerified/i, held('sender_not_verified')],
  [/configuration set .*does not exist|^(NotFound|AccessDenied)/i, held('not_configured')],
];

/**
 * What a refusal of SES means for a mail.
 *
 * @returns undefined if SES may have sent it, or nobody knows what the error means
 */
export const refusalOf = (
  error: unknown,
  addresses: MailAddresses,
): HeldMail | RefusedMail | undefined => {
  const { name, message, $metadata: { httpStatusCode: status = 500 } = {} } = error as SesError;
  if (status >= 500) return undefined;
  const [, found] = heldMails.find(([sign]) => sign.test(name) || sign.test(message)) ?? [];
  if (found) return found;
  if (status === 429) return held('sending_rate');
  if (/not verified/i.test(message)) return unverified(message, addresses);
  if (name === 'MessageRejected') return failed('message_rejected');
  if (name === 'BadRequestException') return failed('invalid_message');
  return undefined;
};

/**
 * Whose identity failed the check. SES lists the identities in one sentence: the sender's, unless
 * it is verified in this region, and in SES's sandbox the recipient's. A list that is cut off ends
 * with an ellipsis ("Amazon SES email sending errors").
 */
const unverified = (message: string, { sender, recipient }: MailAddresses) => {
  const [, list = ''] = /failed the check in region [\w-]+:(.*)/is.exec(message) ?? [];
  const identities = list.split(',').map(bareIdentity).filter(Boolean);
  const [own, theirs] = [sender, recipient].map((address) => address.toLowerCase());
  const isTheirs = (identity: string) =>
    identity === theirs || (isDomainOf(identity, theirs) && !isDomainOf(identity, own));
  return identities.length > 0 && own !== theirs && identities.every(isTheirs)
    ? failed('recipient_not_verified')
    : // A mail that waits can still be sent; one that has failed cannot.
      held('sender_not_verified');
};

const isDomainOf = (identity: string, address = '') =>
  `.${address.split('@')[1]}`.endsWith(`.${identity}`);

// Superlinear, in the length of SES's sentence.
const bareIdentity = (listed: string) =>
  listed.toLowerCase().replace(/^.*</, '').replace(/>.*$/, '').trim().replace(/\.$/, '');

/**
 * SES's sentence about a mail, without the address of its recipient. Superlinear, in its length.
 */
export const sentenceOf = (error: unknown, { sender, recipient }: MailAddresses): string =>
  (error as SesError).message
    .replaceAll(recipient, '(recipient)')
    .replaceAll(/[^\s<>,;:"']+@[^\s<>,;:"']+/g, (address) =>
      address.toLowerCase() === sender.toLowerCase() ? address : '(address)',
    );

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * How long the message of a held mail waits. SES measures its daily quota over the last 24 hours,
 * and a paused account or an unverified sender waits for a person. The rate is used up by other
 * senders of the account, or `mailsAtOnce` is too high: each wait is twice as long.
 *
 * @param receives how often the message has come
 */
export const waitMsOf = ({ reason }: HeldMail, receives: number): number =>
  reason === 'sending_rate' ? Math.min(hourMs, minuteMs * 2 ** receives) : hourMs;
