import { createRequire } from 'node:module';
import { type Listener, listening } from './listen.ts';

/**
 * Starts a server that takes mail as SES v2 does and shows it: a page at `/`, JSON at `/store`.
 * The package keeps all mail of the process in one place, so stacks in one process share a mailbox.
 */
export const startMailbox = async (): Promise<Listener> => {
  // With require, because the default export of this CommonJS package is found in one place by Node's
  // import and in another one by bundlers and Vitest. Here, because loading it takes a while.
  const { default: startServer }: typeof import('aws-ses-v2-local') = createRequire(
    import.meta.url,
  )('aws-ses-v2-local');
  return listening(await startServer({ host: '127.0.0.1', port: 0 }));
};
