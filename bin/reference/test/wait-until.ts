import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until something is true. For hooks: Vitest's `expect.poll`, with which tests wait, works
 * only within a test.
 */
export const waitUntil = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await sleep(50);
};
