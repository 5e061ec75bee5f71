/**
 * One intent has one effect, however often its request is sent. Two guards in one item ensure that:
 *
 * 1. Powertools' record, begun before the work (`records.ts`). It answers "is this a replay, or is
 *    the first request still running?" before the work is done again. It cannot promise one
 *    effect: a crash between the effect and the completion of the record, an expired lease, or the
 *    utility switched off (POWERTOOLS_IDEMPOTENCY_DISABLED) would each repeat it.
 * 2. The claim, written by the transaction that makes the effect (`claims.ts`). It completes the
 *    record with the answer in it, and the transaction fails if there is a claim already. So a
 *    second effect cannot be committed, and a replay is the first answer even if its caller never
 *    received it.
 *
 * Without the record, 50 requests at once would do the work 50 times and commit it once; without
 * the claim, a crash at the wrong moment would send a second e-mail.
 */
import {
  IdempotencyAlreadyInProgressError,
  IdempotencyInconsistentStateError,
  IdempotencyPersistenceLayerError,
  IdempotencyValidationError,
  makeIdempotent,
} from '@aws-lambda-powertools/idempotency';
import type { Context } from 'aws-lambda';
import { Problem } from '../domain/problem.ts';
import type { Guard } from '../store/commit.ts';
import { OutcomeUnknown } from '../store/outcome.ts';
import { AlreadyDone, claim } from './claims.ts';
import type { Intent } from './intent.ts';
import { idempotencyConfig, RecordHeld, records, type Saved } from './records.ts';

/** How an answer that may be too large for an item is saved with its claim. */
export interface SavedForm<Answer> {
  readonly compact: (answer: Answer) => unknown;
  /** The answer exactly as it was. */
  readonly restore: (saved: unknown) => Promise<Answer>;
}

/**
 * Runs an intent's effect once, and answers every other try with the first one's answer.
 *
 * `makeIdempotent` and not the middy middleware, which deletes a record that another invocation
 * holds.
 *
 * @param form if not given, the answer is saved whole
 * @param run makes the effect, in a transaction guarded by the claim that it makes of its answer
 * @throws Problem `idempotency_key_in_use`, `idempotency_key_reused`, and what `run` throws
 */
export const once = async <Answer>(
  intent: Intent,
  context: Context,
  form: SavedForm<Answer> | undefined,
  run: (claimWith: (answer: Answer) => Guard) => Promise<Answer>,
): Promise<{ body: unknown; replayed: boolean }> => {
  const { compact, restore } = form ?? whole<Answer>();
  let unknown: OutcomeUnknown | undefined;

  const makeEffect = async (_intent: Intent): Promise<Made<Answer> | Saved> => {
    try {
      return { made: await run((answer) => claim(intent, compact(answer))) };
    } catch (error) {
      if (error instanceof AlreadyDone) return savedFor(intent, error);
      if (error instanceof OutcomeUnknown) unknown = error;
      throw error;
    }
  };

  idempotencyConfig.registerLambdaContext(context);
  const makeEffectOnce = makeIdempotent(makeEffect, {
    persistenceStore: records(),
    config: idempotencyConfig,
  });
  const result = await makeEffectOnce(intent).catch((error: unknown) => {
    // An unknown outcome matters more than a record that could not be deleted.
    throw unknown ?? problemOf(error);
  });

  if ('made' in result) return { body: result.made, replayed: false };
  return { body: await restore(result.saved), replayed: true };
};

/** The answer of the try that made the effect. */
interface Made<Answer> {
  readonly made: Answer;
}

const whole = <Answer>(): SavedForm<Answer> => ({
  compact: (answer) => answer,
  restore: async (saved) => saved as Answer,
});

/** The answer of the try that took the claim first, if that was a try of the same request. */
const savedFor = ({ fingerprint }: Intent, claimed: AlreadyDone): Saved => {
  if (claimed.fingerprint !== fingerprint) throw reused();
  return { saved: claimed.result };
};

/** What the caller gets for an error of Powertools. Other errors stay what they are. */
const problemOf = (error: unknown): unknown => {
  if (error instanceof IdempotencyValidationError) return reused();
  const cause = error instanceof IdempotencyPersistenceLayerError ? error.cause : error;
  return isInUse(cause) ? inUse() : cause;
};

const isInUse = (error: unknown): boolean =>
  error instanceof IdempotencyAlreadyInProgressError ||
  error instanceof IdempotencyInconsistentStateError ||
  error instanceof RecordHeld;

const inUse = () =>
  new Problem(
    'idempotency_key_in_use',
    'The first request with this key has not been answered yet. Wait, then send this one again.',
  );

const reused = () =>
  new Problem(
    'idempotency_key_reused',
    'This key belongs to a request with another path or body. Use a new key for a new request.',
  );
