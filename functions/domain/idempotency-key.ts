/** The form of an Idempotency-Key, without the quotes that the draft standard puts around it. */
export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/** The same for people. */
export const idempotencyKeyForm = '1 to 255 printable ASCII characters';
