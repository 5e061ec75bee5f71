import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import getPort, { portNumbers } from 'get-port';

/** The address of a server that plays a dependency, for as long as its process runs. */
export const serverOf = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1').unref();
  // On a busy machine Node would otherwise end a connection while a request is on its way to it.
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** An address at which nobody listens: a port that was free is soon another test's. */
export const closedAddress = 'http://127.0.0.1:1';

/**
 * A free port that a program can take some time later: no system gives one this low away by itself,
 * and each process begins at another.
 */
export const portToTake = (): Promise<number> => {
  const first = 20_000 + (process.pid % 100) * 100;
  return getPort({ host: '127.0.0.1', port: portNumbers(first, first + 99) });
};
