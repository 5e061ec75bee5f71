import { setTimeout as sleep } from 'node:timers/promises';
import { sentence } from '../admin/sentence.ts';
import type { Check, Context } from './check.ts';
import { Failure, Skipped } from './failure.ts';

/** How a check ended. */
export interface Result {
  readonly name: string;
  readonly proves: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly duration_ms: number;
  /** Why it failed or was skipped, or a remark. */
  readonly detail?: string;
}

/** A new AWS account runs ten functions at once. */
const workers = 6;
/** All checks together; what is left of two minutes is for the clean-up. */
const limitMs = 95_000;

/**
 * Runs checks side by side, in the order in which they are given.
 *
 * @param onResult called with each result as it comes
 * @returns whether all of them ended in time
 */
export const runChecks = async (
  checks: readonly Check[],
  context: Context,
  onResult: (result: Result) => void,
): Promise<boolean> => {
  const timeout = outOfTime(limitMs);
  let isOver = false;
  timeout.catch(() => {
    isOver = true;
  });
  const waiting = checks.values();
  const work = async () => {
    for (const check of waiting) {
      const started = isOver ? { ...check, run: () => timeout } : check;
      onResult(await runCheck(started, context, timeout));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return !isOver;
};

/** Runs one check until it ends or its time is over. */
export const runCheck = async (
  { name, proves, run }: Check,
  context: Context,
  timeout: Promise<never>,
): Promise<Result> => {
  const startedMs = performance.now();
  const ended = (outcome: Result['outcome'], detail?: string): Result => {
    const duration_ms = Math.round(performance.now() - startedMs);
    return { name, proves, outcome, duration_ms, ...(detail && { detail }) };
  };
  try {
    const running = run(context);
    return ended('passed', await Promise.race([running, timeout]));
  } catch (error) {
    if (error instanceof Skipped) return ended('skipped', error.message);
    return ended('failed', sentence(error));
  }
};

/** Rejects when the time is over. */
export const outOfTime = (afterMs: number): Promise<never> => {
  const timeout = sleep(afterMs, undefined, { ref: false }).then(() => {
    throw new Failure('It did not end in time: the smoke test may take two minutes at most.');
  });
  // Where nothing waits for it any more.
  timeout.catch(() => {});
  return timeout;
};
