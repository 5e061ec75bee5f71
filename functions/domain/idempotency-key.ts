/** The form of an Idempotency-Key, without the quotes that the draft standard puts around it. */
export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/**
 * Several keys in one, as `Headers.append`, Node.js and proxies join header lines: one value again
 * and again, with a comma and a space between, or strings in quotes. Any other comma is a part of a
 * key, although RFC 9110, section 5.3, lets an intermediary leave the space out.
 */
export const joinedKeysPattern = /" *,[ ,]*"|^[ ,]*$|^"?(.+?)"?(?:, +"?\1"?)+$/;

/** The form of a key for people. */
export const idempotencyKeyForm = '1 to 255 printable ASCII characters';

/**
 * The same as JSON Schema, for keys without quotes: the value of a header has no space at its ends,
 * and a key that begins with a quote would be read as one in quotes.
 */
export const idempotencyKeySchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[!#-~]([ -~]*[!-~])?$',
} as const;

/** How long a key is remembered, in days. */
export const idempotencyKeyDays = 30;
