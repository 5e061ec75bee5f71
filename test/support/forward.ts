import { once } from 'node:events';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What a server does with a connection: it passes it on to a service, requests through `way`. */
export const passOn =
  (endpoint: string, way: () => Duplex = () => new PassThrough()) =>
  (client: Socket): void => {
    const { hostname, port } = new URL(endpoint);
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    // A cold start ends without closing its connections.
    void pipeline(client, way(), upstream, client).catch(() => upstream.destroy());
  };

/** Starts a server on this machine, and gives its host and port. */
export const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
