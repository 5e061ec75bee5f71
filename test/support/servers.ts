import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import getPort from 'get-port';

/** The address of a server that plays a dependency, for as long as its process runs. */
export const serverOf = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1').unref();
  // On a busy machine Node would otherwise end a connection while a request is on its way to it.
  server.keepAliveTimeout = 60_000;
  await once(server, 'listening');
  return addressOf((server.address() as AddressInfo).port);
};

/** An address at which nobody listens. */
export const closedPort = async (): Promise<string> =>
  addressOf(await getPort({ host: '127.0.0.1' }));

const addressOf = (port: number) => `http://127.0.0.1:${port}`;
