import {
  IdempotencyAlreadyInProgressError,
  IdempotencyInconsistentStateError,
  IdempotencyPersistenceLayerError,
  IdempotencyValidationError,
  makeIdempotent,
} from '@aws-lambda-powertools/idempotency';
import type { Context } from 'aws-lambda';
import type { Claim } from '../domain/claim.ts';
import { Problem } from '../domain/problem.ts';
import { AlreadyDone } from '../store/claims.ts';
import { idempotencyConfig, idempotencyRecords } from '../store/idempotency-records.ts';

/** How an answer is kept for its replay, where it is not simply kept whole. */
export interface Replay<Body, Saved> {
  readonly compact: (body: Body) => Saved;
  readonly restore: (saved: Saved) => Promise<Body>;
}

const records = idempotencyRecords();

/**
 * Runs an intent's effect once, and answers every other try with the first one's answer.
 *
 * Two layers: Powertools' record tells a replay and a try that is still running without repeating
 * the work; the claim in the effect's own transaction makes a second effect impossible, whatever
 * happens to the record. `makeIdempotent` and not the middy middleware, which deletes a record that
 * another invocation holds.
 *
 * @throws Problem `idempotency_key_in_use`, `idempotency_key_reused`, and what `run` throws
 */
export const once = async <Body, Saved>(
  claim: Claim,
  context: Context,
  { compact, restore }: Replay<Body, Saved>,
  run: () => Promise<Body>,
): Promise<{ body: Body; replayed: boolean }> => {
  let done: { saved: Saved; body?: Body } | undefined;
  const effect = async (_payload: Claim): Promise<string> => {
    done = await run().then(
      (body) => ({ body, saved: compact(body) }),
      (error) => ({ saved: claimedBefore<Saved>(error, claim) }),
    );
    // As text, for the same reason as in the claim: a replay is the same bytes.
    return JSON.stringify(done.saved);
  };
  const config = idempotencyConfig();
  config.registerLambdaContext(context);
  const guarded = makeIdempotent(effect, { persistenceStore: records, config });
  const recorded = await (guarded({ ...claim }) as Promise<string>).catch((error: unknown) => {
    // Once the effect is claimed, that its record could not be kept must not hide its answer.
    if (!done) throw refusal(error);
    return JSON.stringify(done.saved);
  });
  return done?.body === undefined
    ? { body: await restore(JSON.parse(recorded)), replayed: true }
    : { body: done.body, replayed: false };
};

/** What the first caller was to be told, if that is why the effect was refused. */
const claimedBefore = <Saved>(error: unknown, { fingerprint }: Claim): Saved => {
  if (!(error instanceof AlreadyDone)) throw error;
  if (error.fingerprint !== fingerprint) throw reused();
  return error.result as Saved;
};

const refusal = (error: unknown): unknown => {
  if (error instanceof IdempotencyValidationError) return reused();
  if (
    error instanceof IdempotencyAlreadyInProgressError ||
    error instanceof IdempotencyInconsistentStateError
  ) {
    return new Problem(
      'idempotency_key_in_use',
      'The first request with this key has not been answered yet. Wait, then send this one again.',
    );
  }
  return error instanceof IdempotencyPersistenceLayerError ? error.cause : error;
};

const reused = () =>
  new Problem(
    'idempotency_key_reused',
    'This key belongs to a request with another path or body. Use a new key for a new request.',
  );
