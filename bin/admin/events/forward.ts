import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '../../../functions/domain/events.ts';

/** What came of posting an event. */
export interface Forwarding {
  readonly isTaken: boolean;
  /** The last try's. */
  readonly status?: number;
  /** Why the last try has no status. */
  readonly fault?: string;
  readonly tries: number;
  /** Of the last try. */
  readonly durationMs: number;
}

const maximumTries = 3;
const tryMs = 5000;
const pauseMs = 1000;
/** "API destination error codes" in the Amazon EventBridge User Guide; 5xx and timeouts too. */
const retriedStatuses = [401, 407, 409, 429];

/**
 * Posts an event as the API destination of `lib/EVENTS.md` does: the event itself as the body, 5
 * seconds a try. EventBridge retries it for a day; here three tries have to do.
 *
 * @param given headers over those that EventBridge sends
 * @param stopped lets the try that is under way be the last
 */
export const forward = async (
  url: URL,
  given: Headers,
  event: Event,
  stopped: AbortSignal,
): Promise<Forwarding> => {
  const headers = new Headers({
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Amazon/EventBridge/ApiDestinations',
  });
  for (const [name, value] of given) headers.set(name, value);
  for (let tries = 1; ; tries += 1) {
    const startMs = performance.now();
    const answer = await post(url, headers, JSON.stringify(event));
    const durationMs = Math.round(performance.now() - startMs);
    const { status } = answer;
    const isTaken = status !== undefined && status >= 200 && status < 300;
    const isRetried = status === undefined || status >= 500 || retriedStatuses.includes(status);
    const isLast = isTaken || !isRetried || tries === maximumTries;
    if (!isLast) await sleep(pauseMs, undefined, { signal: stopped }).catch(() => {});
    if (isLast || stopped.aborted) return { isTaken, ...answer, tries, durationMs };
  }
};

const post = async (url: URL, headers: Headers, body: string) => {
  try {
    const signal = AbortSignal.timeout(tryMs);
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal,
    });
    await response.arrayBuffer();
    return { status: response.status };
  } catch (error) {
    const { message, cause } = error as Error;
    return { fault: cause instanceof Error ? cause.message : message };
  }
};
