import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from './failure.ts';

/** @throws Failure when two values differ */
export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Failure(`${what}: expected ${JSON.stringify(expected)}; got ${JSON.stringify(actual)}`);
};

const pauseMs = 300;

/**
 * Looks until something has happened.
 *
 * @param what says what, as the start of a sentence: "The sandbox is not ready"
 * @throws Failure when it has not happened in time
 */
export const eventually = async <Found>(
  what: string,
  limitMs: number,
  look: () => Promise<Found | undefined>,
): Promise<Found> => {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() >= deadline) throw new Failure(`${what} after ${limitMs / 1000} s.`);
    await sleep(pauseMs);
  }
};
