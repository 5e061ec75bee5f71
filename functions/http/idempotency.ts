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
import { idempotencyConfig, idempotencyRecords, RecordHeld } from '../store/idempotency-records.ts';
import { OutcomeUnknown } from '../store/outcome.ts';

/**
 * Runs an intent's effect once, and answers every other try with the first one's answer.
 *
 * Two guards: Powertools' record turns a replay, and a try while the first is still running, away
 * before they repeat the work; the claim in the effect's own transaction makes a second effect
 * impossible, whatever happens to the record. `makeIdempotent` and not the middy middleware, which
 * deletes a record that another invocation holds.
 *
 * @param restore the answer, from what the claim keeps of it
 * @throws Problem `idempotency_key_in_use`, `idempotency_key_reused`, and what `run` throws
 */
export const once = async <Body, Saved>(
  claim: Claim,
  context: Context,
  restore: (saved: Saved) => Promise<Body>,
  run: () => Promise<Body>,
): Promise<{ body: Body; replayed: boolean }> => {
  let body: Body | undefined;
  let unknown: OutcomeUnknown | undefined;
  const effect = async (_payload: Claim): Promise<string> => {
    try {
      body = await run();
      // Nobody reads it: the claim has the answer.
      return '';
    } catch (error) {
      if (error instanceof OutcomeUnknown) unknown = error;
      return claimedBefore(error, claim);
    }
  };
  idempotencyConfig.registerLambdaContext(context);
  const guarded = makeIdempotent(effect, {
    persistenceStore: idempotencyRecords,
    config: idempotencyConfig,
  });
  const saved = await (guarded({ ...claim }) as Promise<string>).catch((error: unknown) => {
    // That the record could not be taken back either says less.
    throw unknown ?? refusal(error);
  });
  return body === undefined
    ? { body: await restore(JSON.parse(saved)), replayed: true }
    : { body, replayed: false };
};

/** What the first caller was to be told, if that is why the effect was refused. */
const claimedBefore = (error: unknown, { fingerprint }: Claim): string => {
  if (!(error instanceof AlreadyDone)) throw error;
  if (error.fingerprint !== fingerprint) throw reused();
  return JSON.stringify(error.result);
};

const refusal = (error: unknown): unknown => {
  if (error instanceof IdempotencyValidationError) return reused();
  const reason = error instanceof IdempotencyPersistenceLayerError ? error.cause : error;
  const inUse =
    reason instanceof IdempotencyAlreadyInProgressError ||
    reason instanceof IdempotencyInconsistentStateError ||
    reason instanceof RecordHeld;
  if (!inUse) return reason;
  return new Problem(
    'idempotency_key_in_use',
    'The first request with this key has not been answered yet. Wait, then send this one again.',
  );
};

const reused = () =>
  new Problem(
    'idempotency_key_reused',
    'This key belongs to a request with another path or body. Use a new key for a new request.',
  );
