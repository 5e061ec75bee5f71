/**
 * Ends TLS before the local services, in a process of its own so that its part of a handshake does
 * not compute in the process that is measured. `node tls-proxy.ts CERTIFICATE KEY URL…`,
 * forked: it sends the URLs of its listeners, in the order of its arguments.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createServer } from 'node:tls';

const [certificate = '', key = '', ...targets] = process.argv.slice(2);
const credentials = { cert: readFileSync(certificate), key: readFileSync(key) };

const listen = async (target: string): Promise<string> => {
  const { hostname, port } = new URL(target);
  const server = createServer({ ...credentials, noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    // A cold start ends without closing its connections.
    void pipeline(client, upstream, client).catch(() => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

process.on('disconnect', () => process.exit());
process.send?.(await Promise.all(targets.map(listen)));
