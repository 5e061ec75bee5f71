import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address of a server that plays a dependency, for as long as its process runs. */
export const serverOf = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return addressOf(server);
};

/** An address at which nobody listens. */
export const closedPort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = addressOf(server);
  server.close();
  await once(server, 'close');
  return address;
};

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
