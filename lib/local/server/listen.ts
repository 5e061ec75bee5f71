import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

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

export const listening = (server: Server): Listener => {
  rejectForeignHosts(server);
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

const ownHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Makes a server of this machine reject requests for another name before anything else reads them.
 * The name of any site can lead to 127.0.0.1, and a browser then lets the site's page read what the
 * server responds (DNS rebinding).
 */
export const rejectForeignHosts = (server: Server): void => {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request').on('request', (request, response) => {
    const { host = '' } = request.headers;
    if (ownHost.test(host)) {
      for (const listener of listeners) listener(request, response);
      return;
    }
    const message = `The header Host must be 127.0.0.1, localhost or [::1], not ${host}.`;
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message }));
  });
};
