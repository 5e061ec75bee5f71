import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';

/** The local services as on AWS, where each connection begins with a TLS handshake. */
export interface Tls {
  /** The same variables, in which the services are reached over HTTPS. */
  readonly environment: (plain: Readonly<Record<string, string>>) => Record<string, string>;
  readonly stop: () => void;
}

/**
 * Starts a proxy that ends TLS with an RSA certificate, as the endpoints of AWS have one.
 *
 * @param endpoints the URLs of the services
 * @throws Error when there is no `openssl` to make the certificate
 */
export const startTls = async (endpoints: readonly string[]): Promise<Tls> => {
  const { certificate, key } = await newCertificate();
  const proxy = fork(join(import.meta.dirname, 'tls-proxy.ts'), [certificate, key, ...endpoints]);
  const [listeners] = (await once(proxy, 'message')) as [string[]];
  const secure = (value: string) =>
    endpoints.reduce(
      (changed, endpoint, index) => changed.replace(endpoint, listeners[index] ?? ''),
      value,
    );
  return {
    environment: (plain) => ({
      ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, secure(value)])),
      NODE_EXTRA_CA_CERTS: certificate,
    }),
    stop: () => proxy.disconnect(),
  };
};

const newCertificate = async () => {
  const directory = buildDirectory();
  const certificate = join(directory, 'certificate.pem');
  const key = join(directory, 'key.pem');
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await promisify(execFile)('openssl', [
    ...request,
    ...subject,
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  return { certificate, key };
};
