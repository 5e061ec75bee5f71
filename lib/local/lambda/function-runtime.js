/**
 * Runs inside an instance's thread: loads the bundle, then answers one event after another.
 *
 * JavaScript, and by itself, because every cold start loads it: stripping types from it took 70 ms
 * of processor time, nearly half of what starting a thread costs.
 *
 * @import { Invocation, InstanceMessage, RuntimeData } from './function-messages.ts'
 */
import { existsSync } from 'node:fs';
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

/** @returns {Promise<(event: unknown, context: object) => unknown>} */
const loadHandler = async () => {
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
  return found.length < 3 ? found : fromCallback(found);
};

/**
 * What Lambda makes of a handler with a third parameter ("Define Lambda function handler in
 * Node.js" in the Lambda developer guide): it passes a callback up to Node.js 22, and refuses the
 * function from then on.
 *
 * @param {(event: unknown, context: object, callback: Function) => unknown} handler
 * @returns {(event: unknown, context: object) => Promise<unknown>}
 */
const fromCallback = (handler) => {
  const [version] = process.env.AWS_EXECUTION_ENV?.match(/\d+/) ?? [];
  if (Number(version) > 22) {
    throw named(
      'Runtime.CallbackHandlerDeprecated',
      'ERROR: AWS Lambda has removed support for callback-based function handlers starting with Node.js 24. You need to modify this function to use a supported handler signature to use Node.js 24 or later. For more information see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.',
    );
  }
  return (event, context) =>
    new Promise((resolve, reject) => {
      const callback = (error, result) => (error ? reject(error) : resolve(result));
      const returned = handler(event, context, callback);
      if (returned instanceof Promise) resolve(returned);
    });
};

/** @type {(invocation: Invocation) => Promise<InstanceMessage>} */
const answer = async ({ requestId, timeoutMs, event }) => {
  const deadlineMs = machineNow() + timeoutMs;
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

/** @type {(name: string, message: string) => Error} */
const named = (name, message) => Object.assign(new Error(message), { name });

const handler = await loadHandler();

// Events sent while the bundle was loading have waited in the port until this line.
parentPort?.on('message', async (invocation) => {
  // In this thread, so that what the handler does before its timeout, such as to answer that its
  // time is over, comes first on a starved machine too.
  const timer = setTimeout(() => parentPort?.postMessage('timed out'), invocation.timeoutMs);
  const message = await answer(invocation);
  clearTimeout(timer);
  parentPort?.postMessage(message);
});
parentPort?.postMessage('loaded');
