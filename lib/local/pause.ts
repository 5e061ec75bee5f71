import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after the time, or as soon as the signal aborts. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch(() => {});
}
