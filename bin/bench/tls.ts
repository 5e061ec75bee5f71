import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { listen, passOn } from '../../test/support/forward.ts';

/**
 * Starts proxies that end TLS with an RSA certificate, as the endpoints of AWS have one: there each
 * connection begins with a TLS handshake.
 *
 * @param endpoints the URLs of the local services
 * @returns what gives variables in which these are reached over HTTPS
 * @throws Error when there is no `openssl` to make the certificate
 */
export const startTls = async (endpoints: readonly string[]) => {
  const directory = buildDirectory();
  const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
  const request =
    'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
  const files = ['-keyout', key, '-out', certificate];
  await promisify(execFile)('openssl', [...request.split(' '), ...files]);
  const credentials = { cert: readFileSync(certificate), key: readFileSync(key), noDelay: true };
  const proxies = endpoints.map((endpoint) => createServer(credentials, passOn(endpoint)));
  const addresses = await Promise.all(proxies.map(listen));
  const secure = (value: string) =>
    endpoints.reduce(
      (changed, endpoint, index) => changed.replace(endpoint, `https://${addresses[index]}`),
      value,
    );
  return (plain: Readonly<Record<string, string>>): Record<string, string> => ({
    ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, secure(value)])),
    NODE_EXTRA_CA_CERTS: certificate,
  });
};
