import type { BusEvent, Log } from '../../lib/local/local-engine.ts';

/**
 * Posts each event of a bus to a handler, once, as the API destination of `lib/EVENTS.md` does: the
 * event is the body, and the handler has 5 seconds. The log gets the status of its response.
 */
export const forwardEvents =
  (handler: URL, log: Log) =>
  async ({ detail, 'detail-type': type, id }: BusEvent): Promise<void> => {
    const head = `${type} ${id} > ${handler.href}`;
    try {
      const { status, ok } = await fetch(handler, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
        body: JSON.stringify(detail),
        redirect: 'manual',
        signal: AbortSignal.timeout(5000),
      });
      log(`${head} ${status}`, ok ? 'done' : 'failed');
    } catch (error) {
      const { message, cause } = error as Error;
      log(`${head} (${cause instanceof Error ? cause.message : message})`, 'failed');
    }
  };
