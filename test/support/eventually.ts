import { setTimeout as sleep } from 'node:timers/promises';
import { given } from './given-service.ts';

/**
 * Looks again and again until `look` finds something; the test's own timeout ends it otherwise, or
 * that of a given service. For what happens behind the queues, where nobody says when it is done.
 */
export const eventually = async <T>(look: () => Promise<T | undefined | false>): Promise<T> => {
  const waitMs = given?.limits.waitMs ?? Number.POSITIVE_INFINITY;
  const late = new Error(`It has not happened after ${waitMs / 1000} s.`);
  for (const deadline = Date.now() + waitMs; ; ) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw late;
    await sleep(given ? 300 : 50);
  }
};
