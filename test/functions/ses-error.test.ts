import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { resultOf, sentenceOf, waitMsOf } from '../../functions/mail/ses-error.ts';
import { loggable } from '../../functions/telemetry/loggable.ts';

const addresses = { sender: 'offers@mail.company.example', recipient: 'Ada@Example.com' };
const unverified = (...identities: string[]) =>
  `Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: ${identities.join(', ')}`;

/** An error as the SDK throws it. */
const refused = (name: string, message = '', httpStatusCode = 400) =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });

// SES Developer Guide, "Amazon SES email sending errors"; SES API v2, SendEmail.
test.each([
  ['TooManyRequestsException', 'Maximum sending rate exceeded.', 'sending_rate'],
  ['ThrottlingException', 'Daily message quota exceeded.', 'daily_quota'],
  ['LimitExceededException', 'Maximum sending rate exceeded.', 'sending_rate'],
  ['LimitExceededException', '', 'daily_quota'],
  ['SendingPausedException', 'Email sending is disabled.', 'account_paused'],
  ['MessageRejected', 'Sending suspended for this account.', 'account_paused'],
  ['BadRequestException', 'Account is paused', 'account_paused'],
  ['BadRequestException', 'Email sending for configuration set x is paused.', 'account_paused'],
  ['MessageRejected', 'Email sending for the account is paused.', 'account_paused'],
  ['AccountSendingPausedException', '', 'account_paused'],
  ['MailFromDomainNotVerifiedException', '', 'not_verified'],
  // While the account is in SES's sandbox, the recipient is named here: the mail can still be sent.
  ['MessageRejected', unverified('Ada@Example.com'), 'not_verified'],
  ['MessageRejected', unverified('offers@mail.company.example'), 'not_verified'],
  ['BadRequestException', unverified('offers@mail.company.example'), 'not_verified'],
  ['MessageRejected', 'Email address is not verified.', 'not_verified'],
  ['NotFoundException', 'Configuration set <offers> does not exist.', 'not_configured'],
  ['AccessDeniedException', 'User is not authorized to perform ses:SendEmail', 'not_configured'],
])('%s (%s) holds the mail: %s', (name, message, reason) => {
  expect(resultOf(refused(name, message))).toEqual({ status: 'held', reason });
});

test.each([
  ['MessageRejected', 'The account of suspended@example.com is full.', 'message_rejected'],
  ['MessageRejected', 'Address blacklisted.', 'message_rejected'],
  ['BadRequestException', 'Illegal address', 'invalid_message'],
])('%s (%s) is the end of the mail: %s', (name, message, reason) => {
  expect(resultOf(refused(name, message))).toEqual({ status: 'failed', reason });
});

test.each([
  ['an error of SES', refused('InternalServiceErrorException', '', 500)],
  ['an error without a response', new Error('socket hang up')],
  ['an unknown error', refused('SomethingNewException')],
])('after %s the mail may have been sent', (_, error) => {
  expect(resultOf(error)).toBeUndefined();
});

test("SES's sentence is logged without an address but that of the sender", () => {
  const sentence = `${unverified('Ada@Example.com', addresses.sender)}, eve@example.org; x`;
  expect(sentenceOf(new Error(sentence), addresses)).toBe(
    `${unverified('(recipient)', addresses.sender)}, (address); x`,
  );
});

test('a held mail waits longer each time that the rate is too high, and an hour at most, as SQS takes 12', () => {
  const receives = Array.from({ length: 20 }, (_, index) => index + 1);
  const waits = receives.map((each) => waitMsOf({ status: 'held', reason: 'sending_rate' }, each));
  expect(waits.slice(0, 6).map((ms) => ms / 60_000)).toEqual([2, 4, 8, 16, 32, 60]);
  expect(Math.max(...waits)).toBe(3_600_000);
  for (const each of receives)
    expect(waitMsOf({ status: 'held', reason: 'daily_quota' }, each)).toBe(3_600_000);
});

test('an error of AWS is logged by its name alone, also as the cause of another one', () => {
  const ofAws = refused('TransactionCanceledException', 'About worker@example.com');
  expect(loggable(ofAws)).toEqual({ name: 'TransactionCanceledException' });
  const logged = loggable(new Error('Conflict', { cause: new Error('Ours', { cause: ofAws }) }));
  expect(logged).toMatchObject({
    message: 'Conflict',
    cause: { message: 'Ours', cause: { name: 'TransactionCanceledException' } },
  });
  expect(inspect(logged)).not.toContain('worker@example.com');
});
