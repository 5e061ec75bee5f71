import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FunctionSettings } from '../lambda/function-instance.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { temporaryDirectory } from './temporary-directory.ts';

let codeDirectory: string;
let logs: string[];
const started: LambdaFunction[] = [];

beforeEach(() => {
  codeDirectory = temporaryDirectory();
  logs = [];
});

afterEach(() => Promise.all(started.splice(0).map((lambda) => lambda.stop())));

const functionOf = async (source: string, settings: Partial<FunctionSettings> = {}) => {
  await writeFile(join(codeDirectory, 'index.mjs'), source);
  const lambda = new LambdaFunction(
    {
      name: 'greet',
      codeDirectory,
      handler: 'index.handler',
      timeoutMs: 20_000,
      memoryMb: 128,
      environment: {},
      ...settings,
    },
    (name, line) => logs.push(`${name} ${line}`),
  );
  started.push(lambda);
  return lambda;
};

// Responds with the instance that took the event, once the file named in the event exists.
const holding = `
  import { existsSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  let events = 0;
  export const handler = async (event) => {
    console.log('took ' + event.name);
    while (event.until && !existsSync(event.until)) await sleep(5);
    events += 1;
    return { events };
  };
`;

/** Keeps its thread from running for so long, as a starved machine does. */
const block = (durationMs: number): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);

test("a function sees the template's environment and Lambda's, and nothing of the developer's", async () => {
  const lambda = await functionOf(
    `export const handler = async (event, context) =>
      [{ ...context, remainingMs: context.getRemainingTimeInMillis() }, process.env];`,
    { environment: { TABLE_NAME: 'payments' } },
  );
  const [context, environment] = (await lambda.invoke({})) as [{ remainingMs: number }, object];
  expect(context).toMatchObject({
    functionName: 'greet',
    memoryLimitInMB: '128',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:greet',
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(context.remainingMs).toBeGreaterThan(0);
  expect(context.remainingMs).toBeLessThanOrEqual(20_000);
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

describe('the instances of a function', () => {
  test('never outnumber three: further events wait in order', async () => {
    const lambda = await functionOf(holding);
    const gate = join(codeDirectory, 'gate');
    const held = [1, 2].map((name) => lambda.invoke({ name, until: gate }));
    const last = lambda.invoke({ name: 3, until: join(codeDirectory, 'last') });
    await expect.poll(() => logs).toHaveLength(3);
    const waiting = ['a', 'b'].map((name) =>
      lambda.invoke({ name, until: join(codeDirectory, name) }),
    );
    expect([lambda.instances, lambda.busy]).toEqual([3, 5]);
    for (const name of ['last', 'a', 'b']) await writeFile(join(codeDirectory, name), '');
    expect(await Promise.all([last, ...waiting])).toMatchObject(
      [1, 2, 3].map((events) => ({ events })),
    );
    await writeFile(gate, '');
    await Promise.all(held);
  });

  test('end when they are idle for long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const lambda = await functionOf(holding);
    await lambda.invoke({ name: 'only' });
    expect(lambda.instances).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(lambda.instances).toBe(0);
    await expect(lambda.invoke({ name: 'next' })).resolves.toMatchObject({ events: 1 });
  });
});

test('loading a function does not count towards its timeout', async () => {
  const hold = join(codeDirectory, 'hold');
  await writeFile(hold, '');
  const lambda = await functionOf(
    `import { existsSync } from 'node:fs';
     import { setTimeout as sleep } from 'node:timers/promises';
     while (existsSync(process.env.HOLD)) await sleep(5);
     export const handler = async () => 'loaded';`,
    { timeoutMs: 2000, environment: { HOLD: hold } },
  );
  const response = lambda.invoke({});
  await sleep(3000);
  await rm(hold);
  await expect(response).resolves.toBe('loaded');
});

describe('a failing function', () => {
  test('passes on the error that the handler threw, and stays warm', async () => {
    const lambda = await functionOf(
      `let events = 0;
       export const handler = async ({ fail }) => {
         events += 1;
         if (fail) throw new TypeError('no such worker');
         return events;
       };`,
    );
    await expect(lambda.invoke({ fail: true })).rejects.toMatchObject({
      name: 'FunctionError',
      errorType: 'TypeError',
      errorMessage: 'no such worker',
      trace: expect.arrayContaining([expect.stringContaining('index.mjs')]),
    });
    await expect(lambda.invoke({})).resolves.toBe(2);
    await expect.poll(() => logs).toContainEqual('greet Invoke Error TypeError: no such worker');
  });

  test('is killed at its timeout, even in a loop that never yields', async () => {
    const lambda = await functionOf(
      'export const handler = async ({ spin }) => { while (spin); return "alive"; };',
      // Enough for a new instance to start in, however busy the machine is.
      { timeoutMs: 5000 },
    );
    await expect(lambda.invoke({ spin: true })).rejects.toMatchObject({
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringMatching(/Task timed out after 5\.00 seconds$/),
    });
    expect(logs.join('\n')).toContain('Task timed out after 5.00 seconds');
    await expect(lambda.invoke({})).resolves.toBe('alive');
  });

  test('is not killed while its response waits to be read', async () => {
    const lambda = await functionOf('export const handler = async () => "in time";', {
      timeoutMs: 1000,
    });
    await lambda.invoke({});
    // After these the event loop runs timers before it reads messages.
    await setImmediate();
    const response = lambda.invoke({});
    block(7000);
    await expect(response).resolves.toBe('in time');
  });

  test('is not killed before it responds at a deadline of its own', async () => {
    const lambda = await functionOf(
      `const block = ${block};
       export const handler = async (event, context) => {
         const deadlineMs = context.getRemainingTimeInMillis() - 500;
         setTimeout(block, 0, 2000);
         return new Promise((resolve) => setTimeout(resolve, deadlineMs, 'in time'));
       };`,
      { timeoutMs: 1000 },
    );
    await expect(lambda.invoke({})).resolves.toBe('in time');
  });

  test.each([
    ['exits', 'process.exit(3)', 'Runtime.ExitError', /exit status 3/],
    ['throws null later', 'setTimeout(() => { throw null; })', 'object', /^null$/],
    ['forgets a rejection', "Promise.reject(new SyntaxError('lost'))", 'SyntaxError', /^lost$/],
    [
      'outgrows its memory',
      'for (const all = [];;) all.push([all.length])',
      'Runtime.OutOfMemory',
      /killed/,
    ],
  ])('loses only one instance when it %s', async (_, fault, errorType, errorMessage) => {
    const lambda = await functionOf(
      `export const handler = async (event) => {
        if (!event.fail) return 'alive';
        ${fault};
        await new Promise((resolve) => setTimeout(resolve, 10_000));
      };`,
      { memoryMb: 16 },
    );
    await expect(lambda.invoke({ fail: true })).rejects.toMatchObject({
      errorType,
      errorMessage: expect.stringMatching(errorMessage),
    });
    await expect(lambda.invoke({})).resolves.toBe('alive');
  });

  test('can be killed in the middle of an event', async () => {
    const lambda = await functionOf(holding);
    const response = lambda.invoke({ name: 'held', until: join(codeDirectory, 'never') });
    const failure = expect(response).rejects.toMatchObject({ errorType: 'Runtime.ExitError' });
    await expect.poll(() => logs).toHaveLength(1);
    await expect(lambda.killBusyInstances()).resolves.toBe(1);
    await failure;
    await expect(lambda.invoke({ name: 'next' })).resolves.toMatchObject({ events: 1 });
  });
});

test('a function that gets other code runs the next event with it, and finishes what it began', async () => {
  const lambda = await functionOf(holding);
  const until = join(codeDirectory, 'go');
  const held = lambda.invoke({ name: 'held', until });
  await expect.poll(() => logs).toContain('greet took held');
  const directory = join(codeDirectory, 'other');
  await mkdir(directory);
  await writeFile(join(directory, 'index.mjs'), "export const handler = () => 'other';");
  let isReplaced = false;
  const replaced = lambda.update({ codeDirectory: directory }).then(() => {
    isReplaced = true;
  });
  await expect(lambda.invoke({})).resolves.toBe('other');
  expect(isReplaced).toBe(false);
  await writeFile(until, '');
  await expect(held).resolves.toMatchObject({ events: 1 });
  await replaced;
  expect(lambda.instances).toBe(1);
});

describe('stopping a function', () => {
  test('lets a running event finish and takes no further one', async () => {
    const lambda = await functionOf(holding);
    const gate = join(codeDirectory, 'gate');
    const response = lambda.invoke({ name: 'last', until: gate });
    await expect.poll(() => logs).toHaveLength(1);
    const stopped = lambda.stop();
    await writeFile(gate, '');
    await expect(response).resolves.toMatchObject({ events: 1 });
    await stopped;
    await expect(lambda.invoke({ name: 'late' })).rejects.toMatchObject({
      errorType: 'Local.Stopped',
    });
  });

  test('rejects the events that wait', async () => {
    const lambda = await functionOf('await new Promise(() => setInterval(() => {}, 1000));');
    const waiting = expect(lambda.invoke({})).rejects.toMatchObject({ errorType: 'Local.Stopped' });
    await lambda.stop();
    await waiting;
  });
});
