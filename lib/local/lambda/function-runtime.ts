/**
 * Runs inside an instance's thread: loads the bundle, then answers one event after another.
 *
 * Events and results cross the thread boundary as JSON text, so that a Date or an undefined member
 * is lost here exactly where Lambda loses it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { followClock } from '../clock.ts';

/** What the thread is started with. */
export interface RuntimeData {
  readonly codeDirectory: string;
  /** `<file without extension>.<export>`, as in the template. */
  readonly handler: string;
  /** By how much the function's clock is ahead of this machine's. */
  readonly clockAhead?: BigInt64Array;
  readonly context: {
    readonly functionName: string;
    readonly functionVersion: string;
    readonly invokedFunctionArn: string;
    readonly memoryLimitInMB: string;
    readonly logGroupName: string;
    readonly logStreamName: string;
  };
}

/** One event on its way into the thread. */
export interface Invocation {
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
  readonly event: string;
}

/** What an instance says: once that it has loaded, then the outcome of each event. */
export type Outcome =
  | 'loaded'
  | { readonly result: string }
  | { readonly errorType: string; readonly errorMessage: string; readonly trace: string[] };

const { codeDirectory, handler: handlerName, clockAhead, context } = workerData as RuntimeData;
const machineNow = Date.now;
if (clockAhead) followClock(clockAhead);

const loadHandler = async (): Promise<(event: unknown, context: object) => unknown> => {
  const [file = '', exported = ''] = handlerName.split('.');
  const path = ['mjs', 'js', 'cjs']
    .map((extension) => join(codeDirectory, `${file}.${extension}`))
    .find((candidate) => existsSync(candidate));
  if (path === undefined) {
    throw named('Runtime.ImportModuleError', `No module '${file}' in ${codeDirectory}`);
  }
  const bundle = await import(pathToFileURL(path).href);
  const found = bundle[exported] ?? bundle.default?.[exported];
  if (typeof found !== 'function') {
    throw named('Runtime.HandlerNotFound', `${handlerName} is undefined or not exported`);
  }
  return found;
};

const answer = async ({ requestId, deadlineMs, event }: Invocation): Promise<Outcome> => {
  try {
    const result = await handler(JSON.parse(event), {
      ...context,
      awsRequestId: requestId,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadlineMs - machineNow()),
    });
    return { result: JSON.stringify(result) ?? 'null' };
  } catch (thrown) {
    // Lambda's runtime writes this line, and it is the only place where the stack can be read.
    console.error('Invoke Error', thrown);
    return thrown instanceof Error
      ? {
          errorType: thrown.name,
          errorMessage: thrown.message,
          trace: thrown.stack?.split('\n') ?? [],
        }
      : { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  }
};

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

const handler = await loadHandler();

// Events sent while the bundle was loading have waited in the port until this line.
parentPort?.on('message', async (invocation: Invocation) => {
  parentPort?.postMessage(await answer(invocation));
});
parentPort?.postMessage('loaded' satisfies Outcome);
