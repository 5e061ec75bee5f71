import { idempotencyKeyDays } from '../domain/idempotency-key.ts';
import { sha256 } from '../runtime/sha256.ts';
import { keys } from '../store/keys.ts';

/** A key, and whose it is: the same key of another workspace or endpoint is another intent. */
interface Keyed {
  readonly workspace: string;
  /** The name of its function. */
  readonly endpoint: string;
  readonly key: string;
}

/**
 * The intent of a request, with its place in the table. By the fingerprint, the same key with
 * another request is recognised.
 */
export const newIntent = (keyed: Keyed, request: unknown) => ({
  ...claimKey(keyed),
  ...keyed,
  fingerprint: sha256(JSON.stringify(request)),
});

/** What an Idempotency-Key stands for: one intent of one caller, however often it is sent. */
export type Intent = ReturnType<typeof newIntent>;

export const keyLifetimeS = idempotencyKeyDays * 24 * 60 * 60;

/** Where the table keeps the claim of an intent, which is Powertools' record of it too. */
export const claimKey = ({ workspace, endpoint, key }: Keyed) =>
  keys.claim(sha256(JSON.stringify([workspace, endpoint, key])));
