import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until `look` finds something; the test's own timeout ends it otherwise.
 * For what happens behind the queues, where nobody says when it is done.
 */
export const eventually = async <T>(look: () => Promise<T | undefined | false>): Promise<T> => {
  for (;;) {
    const found = await look();
    if (found) return found;
    await sleep(50);
  }
};
