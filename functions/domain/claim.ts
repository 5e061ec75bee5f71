/**
 * One intent of one caller: what an Idempotency-Key stands for. It is written in the transaction
 * that makes the effect, so that a second effect for the same intent cannot be committed.
 */
export interface Claim {
  readonly workspace: string;
  readonly operation: string;
  readonly key: string;
  /** SHA-256 of what was asked, so that the same key with another request is told apart. */
  readonly fingerprint: string;
}

/** How long a key is remembered, in seconds: 30 days. */
export const claimLifetimeS = 30 * 24 * 60 * 60;
