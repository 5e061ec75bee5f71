import { setTimeout as sleep } from 'node:timers/promises';
import { stage } from './stage.ts';

/**
 * Looks again and again until `look` finds something; the test's own timeout ends it otherwise, or
 * that of the stage. For what happens behind the queues, where nobody says when it is done.
 */
export const eventually = async <T>(look: () => Promise<T | undefined | false>): Promise<T> => {
  const waitMs = stage?.limits.waitMs ?? Number.POSITIVE_INFINITY;
  const late = new Error(`It has not happened after ${waitMs / 1000} s.`);
  for (const deadline = Date.now() + waitMs; ; ) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw late;
    await sleep(stage ? 300 : 50);
  }
};
