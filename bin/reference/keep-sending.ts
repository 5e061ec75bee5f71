import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = 1000;
/** Looking may take a tenth of the time: into a large table one looks less often. */
const pausePerLook = 9;

/**
 * Sends what `look` sees, as server-sent events, whenever it differs from what was sent before; until
 * the reader has gone. What cannot be seen is sent as `{ fault }`.
 */
export const keepSending = async (
  response: ServerResponse,
  look: () => Promise<unknown>,
): Promise<void> => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  let sent = '';
  while (!response.destroyed) {
    const startedMs = performance.now();
    const seen = JSON.stringify(await look().catch(({ message }: Error) => ({ fault: message })));
    if (seen !== sent) response.write(`data: ${seen}\n\n`);
    sent = seen;
    await sleep(Math.max(pauseMs, pausePerLook * (performance.now() - startedMs)));
  }
};
