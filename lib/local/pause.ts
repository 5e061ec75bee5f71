import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after the time, or as soon as the signal aborts. */
export const pause = async (durationMs: number, signal: AbortSignal): Promise<void> => {
  await sleep(durationMs, undefined, { signal }).catch(() => {});
};
