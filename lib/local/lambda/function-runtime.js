/**
 * Runs inside an instance's thread: loads the bundle, then handles one event after another.
 *
 * JavaScript, and by itself, because every cold start loads it: stripping types from it took 70 ms
 * of processor time, nearly half of what starting a thread costs.
 *
 * @import { Invocation, InstanceMessage, RuntimeData } from './function-instance.ts'
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** @type {RuntimeData} */
const { codeDirectory, handler: handlerName, clockAhead, context } = workerData;
const machineNow = Date.now;

/**
 * Makes the thread's own `Date` follow a clock that another thread may advance.
 *
 * @param {BigInt64Array} ahead
 */
const followClock = (ahead) => {
  const RealDate = Date;
  const now = () => RealDate.now() + Number(Atomics.load(ahead, 0));
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });
};
if (clockAhead) followClock(clockAhead);

// The way of the results, so that what a handler has logged arrives before its result.
for (const output of [process.stdout, process.stderr]) {
  output.write = (text) => {
    parentPort?.postMessage({ logged: String(text).trimEnd().split('\n') });
    return true;
  };
}

/** @returns {Promise<(event: unknown, context: object) => unknown>} */
const loadHandler = async () => {
  const [file = '', exported = ''] = handlerName.split('.');
  const { [exported]: found } = await import(
    pathToFileURL(join(codeDirectory, `${file}.mjs`)).href
  );
  if (typeof found !== 'function') {
    const missing = new Error(`${handlerName} is undefined or not exported`);
    throw Object.assign(missing, { name: 'Runtime.HandlerNotFound' });
  }
  return found;
};

/** @type {(invocation: Invocation) => Promise<InstanceMessage>} */
const respond = async ({ requestId, timeoutMs, event }) => {
  const deadlineMs = machineNow() + timeoutMs;
  try {
    const result = await handler(JSON.parse(event), {
      ...context,
      awsRequestId: requestId,
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

const handler = await loadHandler();

// Events sent while the bundle was loading have waited in the port until this line.
parentPort?.on('message', async (invocation) => {
  // In this thread, so that what the handler does before its timeout, such as to report that its
  // time is over, comes first on a starved machine too.
  const timer = setTimeout(() => parentPort?.postMessage('timed out'), invocation.timeoutMs);
  const message = await respond(invocation);
  clearTimeout(timer);
  parentPort?.postMessage(message);
});
parentPort?.postMessage('loaded');
