/** The form of an Idempotency-Key, without the quotes that the draft standard puts around it. */
export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/** The key in a header: the draft standard quotes it, most clients do not. Both are accepted. */
export const bareKey = (value: string): string => value.replace(/^"(.*)"$/, '$1');

/**
 * The value of several header lines that were joined into one, as `Headers.append`, Node.js and
 * proxies do with a comma and a space: the same key repeated (`k, k`), quoted keys (`"k", "l"`), or
 * empty ones. A value with any other comma is one key. RFC 9110, section 5.3, also allows an
 * intermediary to join lines without the space (`k,k`), which is not recognised.
 */
export const joinedKeysPattern = /" *,[ ,]*"|^[ ,]*$|^"?(.+?)"?(?:, +"?\1"?)+$/;

/** The form of a key for people. */
export const idempotencyKeyForm = '1 to 255 printable ASCII characters';

/** How long a key is remembered, in days. */
export const idempotencyKeyDays = 30;
