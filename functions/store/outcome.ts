import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { Problem } from '../domain/problem.ts';
import { effectOptions, type Work, works } from './deadline.ts';

/** It is unknown whether the effect of a request was, or will be, committed. */
export class OutcomeUnknown extends Problem {
  constructor(hasKey: boolean, cause?: unknown) {
    super(
      'outcome_unknown',
      hasKey
        ? 'Send the request again with the same Idempotency-Key: it takes effect once.'
        : 'Check whether the request took effect before you send it again: without an Idempotency-Key it may take effect twice. GET /v1/sandboxes lists new sandboxes.',
    );
    this.cause = cause;
  }
}

/**
 * Sends the write that makes a request's effect.
 *
 * @throws OutcomeUnknown when it failed but an earlier try of the SDK's may have succeeded
 */
export const sendEffect = async <T>(
  send: (options: typeof effectOptions) => Promise<T>,
): Promise<T> => {
  try {
    return await send(effectOptions);
  } catch (error) {
    const work = works.getStore();
    if (work && isFinal(error)) work.maybeDone = false;
    if (work?.maybeDone || isUnderWay(error)) throw new OutcomeUnknown(!!work?.hasKey, error);
    throw error;
  }
};

/**
 * A condition that has failed fails for a late try too: keys are not used again, and other
 * attributes in conditions never return to an earlier state. A conflict is not final: it may be
 * one with an earlier try.
 */
const isFinal = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException ||
  (error instanceof TransactionCanceledException &&
    !!error.CancellationReasons?.some(({ Code }) => Code === 'ConditionalCheckFailed'));

/** An earlier try with the same token. */
const isUnderWay = (error: unknown) => (error as Error).name === 'TransactionInProgressException';

/**
 * Runs a request's work until its deadline, at which the request is answered: its calls to DynamoDB
 * are aborted and none begins. Lambda freezes an instance then and thaws it for another request,
 * maybe minutes later; a write left behind would be committed at that time.
 *
 * @throws Problem `unavailable` at the deadline, or OutcomeUnknown if the effect's write was sent
 * by then
 */
export const untilDeadline = <T>(work: Work, run: () => Promise<T>): Promise<T> => {
  const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
  work.deadline.addEventListener('abort', () =>
    reject(
      work.maybeDone
        ? new OutcomeUnknown(work.hasKey === true)
        : new Problem(
            'unavailable',
            'The request took too long. Nothing was changed. Send it again.',
          ),
    ),
  );
  return Promise.race([run(), timeIsUp]);
};
