import { backOff } from '../runtime/back-off.ts';

/** What was read has changed since, or another transaction holds it: nothing was written. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/** Short, so that those who have tried for long keep up with newcomers. */
const longestPauseMs = 250;

const isConflict = (error: unknown): boolean => error instanceof Conflict;

/**
 * Runs again while it conflicts: the SDK does not retry a TransactionConflict by itself.
 *
 * @param mayPass whether to run again after an error; after conflicts alone, unless given
 * @throws Conflict, or another error that may pass, when `patienceMs` are over
 */
export const settle = async <T>(
  run: () => Promise<T>,
  patienceMs: number,
  mayPass = isConflict,
): Promise<T> => {
  const deadline = Date.now() + patienceMs;
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!mayPass(error) || Date.now() >= deadline) throw error;
      await backOff(tries, 10, longestPauseMs);
    }
  }
};
