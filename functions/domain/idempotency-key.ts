/** The form of an Idempotency-Key, without the quotes that the draft standard puts around it. */
export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/** The key in a header: the draft standard quotes it, most clients do not. Both are accepted. */
export const bareKey = (value: string): string => value.replace(/^"(.*)"$/, '$1');

/**
 * Several keys in one, as `Headers.append`, Node.js and proxies join header lines: one value again
 * and again, with a comma and a space between, or strings in quotes. Any other comma is a part of a
 * key, although RFC 9110, section 5.3, lets an intermediary leave the space out.
 */
export const joinedKeysPattern = /" *,[ ,]*"|^[ ,]*$|^"?(.+?)"?(?:, +"?\1"?)+$/;

/** The form of a key for people. */
export const idempotencyKeyForm = '1 to 255 printable ASCII characters';

/**
 * The same as JSON Schema, for the value of a header, which has no space at its ends: in quotes, or
 * without one of them at least.
 */
export const idempotencyKeySchema = {
  type: 'string',
  pattern: '^("[ -~]{1,255}"|[!#-~]([ -~]{0,253}[!-~])?|"([ -~]{0,253}[!#-~])?)$',
} as const;

/** How long a key is remembered, in days. */
export const idempotencyKeyDays = 30;
