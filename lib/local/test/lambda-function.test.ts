import { rmSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { FunctionSettings } from '../lambda/function-instance.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Loads while the file LOADING exists, waits for the file of an event, and evaluates its code. */
const source = `
  import { existsSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  while (existsSync(process.env.LOADING ?? '')) await sleep(5);
  let events = 0;
  export const handler = async ({ name, until, code }, context) => {
    console.log('took ' + name);
    while (until && !existsSync(until)) await sleep(5);
    events += 1;
    return code ? eval(code) : { events };
  };
`;

let logs: string[];
beforeEach(() => {
  logs = [];
});

const functionOf = (settings: Partial<FunctionSettings> = {}): LambdaFunction => {
  const codeDirectory = temporaryDirectory();
  writeFileSync(join(codeDirectory, 'index.mjs'), source);
  const defaults = { name: 'greet', codeDirectory, handler: 'index.handler', environment: {} };
  const lambda = new LambdaFunction(
    { ...defaults, timeoutMs: 20_000, memoryMb: 128, ...settings },
    (name, line) => logs.push(`${name} ${line}`),
  );
  onTestFinished(() => lambda.stop());
  return lambda;
};

/** A file that holds a function up while it is missing, or while it exists. */
const gate = (): string => join(temporaryDirectory(), 'gate');

/** An event that keeps an instance busy until it is released. */
const hold = (lambda: LambdaFunction, name: string) => {
  const until = gate();
  return { response: lambda.invoke({ name, until }), release: () => writeFileSync(until, '') };
};

/** Keeps its thread from running for so long, as a starved machine does. */
const block = (durationMs: number): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);

test("a function sees the template's environment and Lambda's, and nothing of the developer's", async () => {
  const lambda = functionOf({ environment: { TABLE_NAME: 'payments' } });
  const remaining = 'context.getRemainingTimeInMillis()';
  const code = `[context, ${remaining} > 0 && ${remaining} <= 20_000, process.env]`;
  const [context, isInTime, environment] = (await lambda.invoke({ code })) as unknown[];
  expect(context).toEqual({
    functionName: 'greet',
    memoryLimitInMB: '128',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:greet',
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(isInTime).toBe(true);
  expect(environment).toMatchObject({
    TABLE_NAME: 'payments',
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: 'greet',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
  });
  for (const foreign of ['PATH', 'HOME', 'NODE_ENV'])
    expect(environment).not.toHaveProperty(foreign);
});

test('a function has three instances at most, and further events wait in order', async () => {
  const lambda = functionOf();
  const [first, ...others] = ['1', '2', '3'].map((name) => hold(lambda, name));
  await expect.poll(() => logs).toHaveLength(3);
  const waiting = ['a', 'b'].map((name) => hold(lambda, name));
  expect([lambda.instances, lambda.busy]).toEqual([3, 5]);
  for (const event of [first, ...waiting]) event?.release();
  const responses = [first, ...waiting].map((event) => event?.response);
  expect(await Promise.all(responses)).toEqual([1, 2, 3].map((events) => ({ events })));
  for (const event of others) event.release();
  await Promise.all(others.map(({ response }) => response));
});

test('an instance ends when it is idle for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const lambda = functionOf();
  await lambda.invoke({});
  expect(lambda.instances).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(lambda.instances).toBe(0);
  expect(await lambda.invoke({})).toEqual({ events: 1 });
});

const timeoutMs = 5000;
// With the number of the next event in its instance: only one that throws stays warm.
test.each<[string, string, number, string, RegExp, Partial<FunctionSettings>?]>([
  ['throws', "throw new TypeError('no worker')", 2, 'TypeError', /no worker/],
  ['exits', 'process.exit(3)', 1, 'Runtime.ExitError', /exit status 3/],
  ['throws null later', 'setTimeout(() => { throw null; })', 1, 'object', /null/],
  ['forgets a rejection', "Promise.reject(new SyntaxError('lost'))", 1, 'SyntaxError', /lost/],
  [
    'outgrows its memory',
    'for (const all = [];;) all.push([all.length])',
    1,
    'Runtime.OutOfMemory',
    /killed/,
  ],
  // The time is enough for a new instance to start in, however busy the machine is.
  ['never yields', 'for (;;);', 1, 'Sandbox.Timedout', /out after 5\.00 seconds$/, { timeoutMs }],
])(
  'a function that %s fails as the log says, and the next event is not affected',
  async (_, fault, events, errorType, message, settings) => {
    const lambda = functionOf({ memoryMb: 16, ...settings });
    const failing = lambda.invoke({ code: `${fault}; sleep(10_000)` });
    const errorMessage = expect.stringMatching(message);
    await expect(failing).rejects.toMatchObject({ name: 'FunctionError', errorType, errorMessage });
    expect(await lambda.invoke({})).toEqual({ events });
    await expect.poll(() => logs).toContainEqual(errorMessage);
  },
);

test('a function is not killed while its response waits to be read', async () => {
  const lambda = functionOf({ timeoutMs: 1000 });
  await lambda.invoke({});
  // After these the event loop runs timers before it reads messages.
  await setImmediate();
  const response = lambda.invoke({});
  block(7000);
  expect(await response).toEqual({ events: 2 });
});

test('a function is not killed before it responds at a deadline of its own', async () => {
  const lambda = functionOf({ timeoutMs: 1000 });
  const code = `
    const deadlineMs = context.getRemainingTimeInMillis() - 500;
    setTimeout(${block}, 0, 2000);
    sleep(deadlineMs, 'in time');`;
  expect(await lambda.invoke({ code })).toBe('in time');
});

test('a function has a day while a debugger can stop it', async () => {
  const remaining = () => functionOf().invoke({ code: 'context.getRemainingTimeInMillis()' });
  inspector.open(0);
  onTestFinished(() => inspector.close());
  expect(await remaining()).toBeGreaterThan(3_600_000);
  inspector.close();
  expect(await remaining()).toBeLessThanOrEqual(20_000);
});

test('loading a function does not count towards its timeout', async () => {
  const LOADING = gate();
  writeFileSync(LOADING, '');
  const response = functionOf({ timeoutMs: 2000, environment: { LOADING } }).invoke({});
  await sleep(3000);
  rmSync(LOADING);
  expect(await response).toEqual({ events: 1 });
});

test('an instance can be killed in the middle of an event', async () => {
  const lambda = functionOf();
  const { response } = hold(lambda, 'held');
  const failure = expect(response).rejects.toMatchObject({ errorType: 'Runtime.ExitError' });
  await expect.poll(() => logs).toHaveLength(1);
  expect(await lambda.killBusyInstances()).toBe(1);
  await failure;
  expect(await lambda.invoke({})).toEqual({ events: 1 });
});

test('a function that is stopped finishes what it began, and takes no further event', async () => {
  const lambda = functionOf();
  const held = ['1', '2', '3'].map((name) => hold(lambda, name));
  await expect.poll(() => logs).toHaveLength(3);
  const stopped = { errorType: 'Local.Stopped' };
  const waiting = expect(lambda.invoke({})).rejects.toMatchObject(stopped);
  const stopping = lambda.stop();
  await waiting;
  await expect(lambda.invoke({})).rejects.toMatchObject(stopped);
  for (const { release } of held) release();
  const responses = await Promise.all(held.map(({ response }) => response));
  expect(responses).toEqual(held.map(() => ({ events: 1 })));
  await stopping;
});
