import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rejectForeignHosts } from './foreign-host.ts';

/** A server of this machine that can be stopped. */
export interface Listener {
  readonly url: string;
  /** Ends open connections too: a client that keeps one alive would keep the server open. */
  readonly stop: () => Promise<void>;
}

/**
 * Listens on this machine only; port 0 takes a free one.
 *
 * @param onPortTaken called when the port is taken; the server then takes a free one
 * @throws Error when the port is taken and there is no `onPortTaken`
 */
export const listen = async (
  server: Server,
  port: number,
  onPortTaken?: (port: number) => void,
): Promise<Listener> => {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (!onPortTaken || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    onPortTaken(port);
    return listen(server, 0);
  }
  return listening(server);
};

/** The same, for a server that listens already. */
export const listening = (server: Server): Listener => {
  rejectForeignHosts(server);
  // A client that has ended its side of the connection still reads its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
