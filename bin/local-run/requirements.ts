import { createServer } from 'node:net';
import { checkJava } from '../../lib/local/local-engine.ts';

/**
 * Whether nothing listens on a port of this machine, in IPv6 neither: a browser that is sent to
 * localhost would find that.
 */
export const isFree = async (port: number): Promise<boolean> => {
  const faults = await Promise.all(['127.0.0.1', '::1'].map((host) => faultAt(port, host)));
  // A machine without IPv6 has another fault.
  return !faults.includes('EADDRINUSE');
};

/** @throws Error with a sentence when a part of the run could not listen, or not be called */
export const requirePort = async (port: number): Promise<void> => {
  const fault = await faultAt(0, '127.0.0.1');
  if (fault)
    throw new Error(`The run needs 127.0.0.1, which this machine does not have (${fault}).`);
  for (const each of port === 0 ? [] : [port, port + 1]) {
    // Node.js connects to none of the ports that the Fetch standard blocks.
    const probe = fetch(`http://127.0.0.1:${each}`, { signal: AbortSignal.timeout(100) });
    const { cause } = (await probe.catch((error) => error)) as Error;
    if ((cause as Error | undefined)?.message !== 'bad port') continue;
    const user = each === port ? 'the API' : 'the reference';
    throw new Error(`Browsers refuse port ${each}, which ${user} would get; give another --port.`);
  }
};

const faultAt = (port: number, host: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
      .once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
      .listen(port, host, () => probe.close(() => resolve(undefined)));
  });

/**
 * Fails before anything slow begins if there will be no database.
 *
 * @param url of the one that runs already, if one is to be used
 * @throws Error with a sentence
 */
export const requireDatabase = async (url: URL | undefined): Promise<void> => {
  if (!url) return checkJava();
  try {
    await fetch(url.origin, { signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    throw new Error(
      `No DynamoDB responds at ${url.origin} (${code ?? message}). Start it, or leave out --dynamodb to have one started.`,
    );
  }
};
