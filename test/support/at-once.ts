import pLimit from 'p-limit';
import type { Response } from './send-request.ts';

/** More than a function of the local run has instances. */
const atATime = 5;

/**
 * Sends again what gets 503, as the response says: a machine that is busy with other things
 * gives some.
 */
export const sendUntilTaken = async <Sent extends Pick<Response, 'status'>>(
  send: () => Promise<Sent>,
): Promise<Sent> => {
  const response = await send();
  return response.status === 503 ? sendUntilTaken(send) : response;
};

/**
 * Sends many requests, each until it is taken, as many at once as can be: more than a function has
 * instances would only wait for one, and on a busy machine longer than the gateway waits.
 */
export const atOnce = (
  count: number,
  send: (index: number) => Promise<Response>,
): Promise<Response[]> =>
  pLimit(atATime).map(Array.from({ length: count }).keys(), (index) =>
    sendUntilTaken(() => send(index)),
  );
