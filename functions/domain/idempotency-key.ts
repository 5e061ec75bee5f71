/** The form of an Idempotency-Key, without the quotes that the draft standard puts around it. */
export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/** The key in a header: the draft standard quotes it, most clients do not. Both are accepted. */
export const bareKey = (value: string): string => value.replace(/^"(.*)"$/, '$1');

/**
 * Whether a key is that of several header lines, which `Headers.append`, Node.js and proxies join
 * with a comma and a space: the same key repeated (`k, k`), quoted keys (`"k", "l"`), or empty
 * ones. A key with any other comma is one key. RFC 9110, section 5.3, also allows an intermediary
 * to join lines without the space (`k,k`), which is not recognised.
 *
 * @param key of at most 255 characters
 */
export const isJoined = (key: string): boolean => {
  if (/" *,[ ,]*"|^[ ,]*$/.test(key)) return true;
  const parts = key.split(/, +/).map((part) => part.replace(/^"|"$/g, ''));
  // A repeated key may itself have such a comma.
  const isRepeatedAfter = (length: number) =>
    parts.length % length === 0 && parts.every((part, index) => part === parts[index % length]);
  return parts.some((_, length) => length > 0 && isRepeatedAfter(length));
};

/** The form of a key for people. */
export const idempotencyKeyForm = '1 to 255 printable ASCII characters';

export const idempotencyKeyDays = 30;
