import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** More than any pipelining client needs; a connection that sends more is closed. */
const maximumWaiting = 100;

type HttpExchange = [IncomingMessage, ServerResponse];

/**
 * Serves the requests of a connection one after another, each when the answer before it has left. A
 * client that sends many and reads no answer would otherwise take every instance of the functions.
 *
 * @param serve never rejects
 */
export const oneAtATime = (
  serve: (...exchange: HttpExchange) => Promise<void>,
): RequestListener => {
  const queues = new WeakMap<Socket, HttpExchange[]>();
  const work = async (socket: Socket, queue: HttpExchange[]): Promise<void> => {
    while (!socket.destroyed) {
      const next = queue.shift();
      if (!next) break;
      const [incoming, response] = next;
      const closed = new Promise((resolve) => response.once('close', resolve));
      await serve(incoming, response);
      await closed;
    }
    queues.delete(socket);
  };
  return (...exchange) => {
    const [{ socket }] = exchange;
    const queue = queues.get(socket);
    if (queue === undefined) {
      const first = [exchange];
      queues.set(socket, first);
      void work(socket, first);
    } else if (queue.push(exchange) > maximumWaiting) socket.destroy();
  };
};
