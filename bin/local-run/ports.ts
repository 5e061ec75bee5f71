import { createServer } from 'node:net';

/**
 * Whether nothing listens on a port of this machine, in IPv6 neither: a browser that is sent to
 * localhost would find that.
 */
export const isFree = async (port: number): Promise<boolean> =>
  (await isFreeAt(port, '127.0.0.1')) && (await isFreeAt(port, '::1'));

const isFreeAt = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
      // A machine without IPv6 has another error.
      .once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'))
      .listen(port, host, () => probe.close(() => resolve(true)));
  });
