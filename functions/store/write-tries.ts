import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';

/** It is unknown whether a write was, or will be, committed. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/**
 * The write that makes a request's effect, as far as its tries have shown what became of it. The
 * SDK repeats a write and reports only the last try; an earlier one may have been done.
 */
export class WriteTries {
  /** The tries that were sent and are not known to have failed. */
  #undecided = 0;

  /** A try is being sent. */
  sent(): void {
    this.#undecided += 1;
  }

  /** The try that was sent last has written nothing. */
  refused(): void {
    this.#undecided -= 1;
  }

  /** The error to report for this one: OutcomeUnknown if a try may have been done. */
  errorFor(error: unknown): unknown {
    if (isFinal(error)) this.#undecided = 0;
    return this.#undecided > 0 || isInProgress(error)
      ? new OutcomeUnknown('The write may have been committed.', { cause: error })
      : error;
  }
}

/**
 * A condition that has failed fails for a late try too: no key is used again, and no two states of
 * an item have the same values of the attributes in a condition. A conflict is not final: it may be
 * one with an earlier try.
 */
const isFinal = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException ||
  (error instanceof TransactionCanceledException &&
    !!error.CancellationReasons?.some(({ Code }) => Code === 'ConditionalCheckFailed'));

/** An earlier try with the same token. */
const isInProgress = (error: unknown) => (error as Error).name === 'TransactionInProgressException';

/** The work of one request or message. */
interface Work {
  /** Aborts its calls to DynamoDB. */
  readonly deadline?: AbortSignal | undefined;
  /** The tries of the write that makes its effect. */
  readonly tries?: WriteTries;
  /** Whether its calls are such tries: reads and the begin of a key are none. */
  readonly isEffect?: true;
}

/** Carries the work under way to the client of DynamoDB. */
export const currentWork = new AsyncLocalStorage<Work>();

/**
 * Sends the write that makes an effect, and nothing else.
 *
 * @throws OutcomeUnknown when it failed but an earlier try of the SDK's may have succeeded
 */
export const sendEffect = async <T>(send: () => Promise<T>): Promise<T> => {
  const { deadline, tries = new WriteTries() } = currentWork.getStore() ?? {};
  try {
    return await currentWork.run({ deadline, tries, isEffect: true }, send);
  } catch (error) {
    throw tries.errorFor(error);
  }
};
