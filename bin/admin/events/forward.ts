import type { Event } from '../../../functions/domain/events.ts';

/** What came of posting an event. */
export interface Forwarding {
  readonly isTaken: boolean;
  readonly status?: number;
  /** Why there is no status. */
  readonly fault?: string;
  readonly durationMs: number;
}

const patienceMs = 5000;

/**
 * Posts an event once, as the API destination of `lib/EVENTS.md` does: the event itself is the
 * body, and the handler has 5 seconds.
 */
export const forward = async (url: URL, event: Event): Promise<Forwarding> => {
  const startMs = performance.now();
  const answer = await post(url, JSON.stringify(event));
  const durationMs = Math.round(performance.now() - startMs);
  const { status = 0 } = answer;
  return { isTaken: status >= 200 && status < 300, ...answer, durationMs };
};

const post = async (url: URL, body: string): Promise<{ status?: number; fault?: string }> => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': 'Amazon/EventBridge/ApiDestinations',
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    });
    await response.arrayBuffer();
    return { status: response.status };
  } catch (error) {
    const { message, cause } = error as Error;
    return { fault: cause instanceof Error ? cause.message : message };
  }
};
