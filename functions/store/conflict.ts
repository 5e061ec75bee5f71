import { backOff } from '../runtime/back-off.ts';

/** An item has changed since it was read, or another transaction holds it: nothing was written. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/** A write that guards a transaction was refused, because there is an item: nothing was written. */
export class GuardRefused extends Error {
  override readonly name = 'GuardRefused';
  /** What is there already. */
  readonly item: Readonly<Record<string, unknown>>;

  constructor(item: Readonly<Record<string, unknown>>) {
    super('There is an item in the place of the guard.');
    this.item = item;
  }
}

/** Short, so that a request that has retried for long is not behind newer ones. */
const longestPauseMs = 250;

/**
 * Runs again while it conflicts: the SDK does not retry a TransactionConflict by itself.
 *
 * @param isTransient whether to retry after an error; by default only after conflicts
 * @throws Conflict, or another transient error, when `patienceMs` are over
 */
export const retry = async <T>(
  run: () => Promise<T>,
  patienceMs = 2000,
  isTransient = (error: unknown): boolean => error instanceof Conflict,
): Promise<T> => {
  const deadline = Date.now() + patienceMs;
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!isTransient(error) || Date.now() >= deadline) throw error;
      await backOff(tries, 10, longestPauseMs);
    }
  }
};
