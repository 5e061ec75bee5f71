import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits before another try, for longer after each. The pause is random ("full jitter"), so that
 * those who met do not meet again.
 *
 * @param tries how many tries have failed, from 1
 */
export const backOff = (tries: number, firstMs: number, longestMs: number): Promise<void> =>
  sleep(Math.random() * Math.min(longestMs, firstMs * 2 ** tries));
