import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { listen, passOn } from './forward.ts';

/** The local services as on AWS, where each connection begins with a TLS handshake. */
export interface Tls {
  /** The same variables, in which the services are reached over HTTPS. */
  readonly environment: (plain: Readonly<Record<string, string>>) => Record<string, string>;
  readonly stop: () => void;
}

/**
 * Starts proxies that end TLS with an RSA certificate, as the endpoints of AWS have one.
 *
 * @param endpoints the URLs of the services
 * @throws Error when there is no `openssl` to make the certificate
 */
export const startTls = async (endpoints: readonly string[]): Promise<Tls> => {
  const directory = buildDirectory();
  const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
  const request =
    'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
  await promisify(execFile)('openssl', [
    ...request.split(' '),
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  const credentials = { cert: readFileSync(certificate), key: readFileSync(key), noDelay: true };
  const proxies = endpoints.map((endpoint) => createServer(credentials, passOn(endpoint)));
  const addresses = await Promise.all(proxies.map(listen));
  const secure = (value: string) =>
    endpoints.reduce(
      (changed, endpoint, index) => changed.replace(endpoint, `https://${addresses[index]}`),
      value,
    );
  return {
    environment: (plain) => ({
      ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, secure(value)])),
      NODE_EXTRA_CA_CERTS: certificate,
    }),
    stop: () => {
      for (const proxy of proxies) proxy.close();
    },
  };
};
