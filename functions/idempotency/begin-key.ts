/**
 * One intent has one effect, however often its request is sent (README.md). Two guards in one item
 * ensure that: Powertools' record (`claim-in-progress.ts`) recognises a replay, and a first request
 * that is still running, before the work is done again. The claim (`claims.ts`) completes it within
 * the transaction that makes the effect, so that a second effect cannot be committed.
 */
import {
  IdempotencyAlreadyInProgressError,
  IdempotencyInconsistentStateError,
  IdempotencyPersistenceLayerError,
  makeIdempotent,
} from '@aws-lambda-powertools/idempotency';
import {
  ConditionalCheckFailedException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Context } from 'aws-lambda';
import { Problem } from '../domain/problem.ts';
import type { Write } from '../store/commit.ts';
import { Conflict, GuardRefused } from '../store/conflict.ts';
import { IdempotencyRecords, idempotencyConfig } from './claim-in-progress.ts';
import { claim, responseIn } from './claims.ts';
import type { Intent } from './intent.ts';

/**
 * The Idempotency-Key of a request that goes on, or the response of the request that it repeats.
 */
export interface BegunKey {
  /** The response of the request that this one repeats. */
  readonly earlier?: object | undefined;
  /**
   * The claim with the response for replays: it guards the transaction that makes the effect.
   *
   * @throws Problem `response_too_large`
   */
  readonly claim: (response: object) => Write | undefined;
  /**
   * The response of another try that has made the effect. Without one the key is free at once.
   *
   * @param error why this try has failed, which is thrown again
   * @throws Conflict, Problem `idempotency_key_reused`
   */
  readonly recover: (error: unknown) => Promise<object>;
}

/**
 * Begins the key of an intent: puts Powertools' record of a request in progress.
 *
 * The function that is made idempotent does nothing. The request goes on in `endpoint`, where one
 * reads it from top to bottom, and its transaction completes the record. The middy middleware would
 * be shorter, and deletes a record that another invocation holds.
 *
 * @throws Problem `idempotency_key_in_use`, `idempotency_key_reused`
 */
export const beginKey = async (intent: Intent, context: Context): Promise<BegunKey> => {
  idempotencyConfig.registerLambdaContext(context);
  const persistenceStore = new IdempotencyRecords(intent);
  const begin = makeIdempotent(async (_: Intent): Promise<object | undefined> => undefined, {
    persistenceStore,
    config: idempotencyConfig,
  });
  const earlier = await begin(intent).catch((error: unknown) => {
    throw problemOf(error);
  });
  return {
    earlier,
    claim: (response) => claim(intent, response),
    recover: async (error) => {
      if (error instanceof GuardRefused) return responseIn(error.item, intent);
      // A record that cannot be deleted is free when its lease ends.
      const failure = await persistenceStore
        .deleteRecord({ ...intent })
        .catch((failure) => failure);
      if (!failure || !(error instanceof Problem)) throw error;
      // Another try may have had its effect before the decision, and a replay comes before that.
      if (!(failure instanceof ConditionalCheckFailedException)) {
        throw new Conflict('It is unknown whether the key is free.', { cause: failure });
      }
      if (!failure.Item) throw error;
      return responseIn(unmarshall(failure.Item), intent);
    },
  };
};

/** What the caller gets for an error of Powertools. Other errors stay what they are. */
const problemOf = (error: unknown): unknown => {
  const cause = error instanceof IdempotencyPersistenceLayerError ? error.cause : error;
  const isInUse =
    cause instanceof IdempotencyAlreadyInProgressError ||
    cause instanceof IdempotencyInconsistentStateError ||
    // A transaction is about to complete the record.
    cause instanceof TransactionConflictException;
  if (!isInUse) return cause;
  return new Problem(
    'idempotency_key_in_use',
    'The first request with this key has no response yet. Wait, then send this one again.',
  );
};
