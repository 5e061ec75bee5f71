import { randomUUID } from 'node:crypto';
import inspector from 'node:inspector';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { credentials, functionArn, region } from '../aws-account.ts';
import type { Clock } from '../clock.ts';
import { FunctionError } from './function-error.ts';

/** What the template sets for a function, and what tests change. */
export interface FunctionSettings {
  readonly name: string;
  readonly codeDirectory: string;
  /** `<file without extension>.<export>`, such as `index.handler`. */
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  /** The time that the function sees; this machine's unless given. */
  readonly clock?: Clock;
}

export interface RuntimeData extends Pick<FunctionSettings, 'codeDirectory' | 'handler'> {
  /** By how much the function's clock is ahead of this machine's. */
  readonly clockAhead: BigInt64Array | undefined;
  readonly context: {
    readonly functionName: string;
    readonly invokedFunctionArn: string;
    readonly memoryLimitInMB: string;
  };
}

/**
 * One event on its way into the thread. Events and results cross as JSON text, so that a Date or an
 * undefined member is lost exactly where Lambda loses it.
 */
export interface Invocation {
  readonly requestId: string;
  /** From when the thread takes the event. */
  readonly timeoutMs: number;
  readonly event: string;
}

/** What an instance says: once that it has loaded, what it logs, and how each event ends. */
export type InstanceMessage =
  | 'loaded'
  | 'timed out'
  | { readonly logged: readonly string[] }
  | { readonly result: string }
  | { readonly errorType: string; readonly errorMessage: string; readonly trace: string[] };

interface Pending {
  readonly requestId: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: FunctionError) => void;
}

/** The time of an invocation beside a debugger. A timer of more than 24.8 days fires at once. */
const dayMs = 86_400_000;
/** How long after its timeout a thread that has not reported it is killed. */
const silenceMs = 5000;
// V8 lets it grow to 48 MB, which in most threads is garbage that has not been collected yet.
const youngGenerationMb = 4;

/**
 * One instance of a function: a thread with globals, environment and memory limit of its own, which
 * takes one event at a time. Unlike Lambda it is not frozen between events, so a timer left behind
 * by a handler keeps running; and `TZ` is only reported to it, because the time zone belongs to the
 * whole process.
 */
export class FunctionInstance {
  /** Resolves when the thread has ended, whatever the reason. */
  readonly exited: Promise<void>;
  /** Resolves when the bundle is loaded; rejects with FunctionError when that has failed. */
  readonly loaded: Promise<void>;
  readonly settings: FunctionSettings;
  readonly #onLog: (line: string) => void;
  readonly #worker: Worker;
  #alive = true;
  #pending: Pending | undefined;
  #causeOfDeath: FunctionError | undefined;

  constructor(settings: FunctionSettings, onLog: (line: string) => void) {
    this.settings = settings;
    this.#onLog = onLog;
    this.#worker = startThread(settings);
    const loading = Promise.withResolvers<void>();
    this.loaded = loading.promise;
    this.#worker.on('message', (message: InstanceMessage) => {
      if (message === 'loaded') loading.resolve();
      else this.#receive(message);
    });
    this.#worker.on('error', (error) => {
      this.#causeOfDeath ??= uncaught(error);
    });
    this.exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        loading.reject(this.#bury(code));
        resolve();
      });
    });
  }

  /** False as soon as the instance can take no further event. */
  get alive(): boolean {
    return this.#alive;
  }

  /**
   * Hands one event to an idle instance.
   *
   * @throws FunctionError when no result comes back
   */
  async run(event: unknown): Promise<unknown> {
    // Only the main thread knows whether a debugger may stop a thread.
    const timeoutMs = inspector.url() ? dayMs : this.settings.timeoutMs;
    const requestId = randomUUID();
    const invocation: Invocation = { requestId, timeoutMs, event: JSON.stringify(event) };
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending = { requestId, resolve, reject };
    this.#worker.postMessage(invocation);
    // A loop that never yields does not report that its time is over.
    const silence = setTimeout(() => {
      // After pending messages: on a starved machine this thread may not have read them yet.
      setImmediate(() => {
        if (this.#pending?.requestId === requestId) this.#timeOut(requestId);
      });
    }, timeoutMs + silenceMs);
    return promise.finally(() => clearTimeout(silence));
  }

  /** Ends the thread at once; a caller still waiting gets Runtime.ExitError. */
  async terminate(): Promise<void> {
    this.#kill(exitError(this.#pending?.requestId, 'signal: killed'));
    await this.exited;
  }

  #timeOut(requestId: string): void {
    const reason = `Task timed out after ${(this.settings.timeoutMs / 1000).toFixed(2)} seconds`;
    this.#kill(new FunctionError('Sandbox.Timedout', `RequestId: ${requestId} Error: ${reason}`));
  }

  #kill(cause: FunctionError): void {
    this.#alive = false;
    this.#causeOfDeath ??= cause;
    void this.#worker.terminate();
  }

  #receive(message: Exclude<InstanceMessage, 'loaded'>): void {
    if (typeof message === 'object' && 'logged' in message) {
      message.logged.forEach(this.#onLog);
      return;
    }
    // A result that arrives after a kill is too late: the caller must not get a success from an
    // instance that is reported as timed out.
    if (this.#causeOfDeath !== undefined) return;
    const pending = this.#pending;
    if (message === 'timed out') {
      if (pending !== undefined) this.#timeOut(pending.requestId);
      return;
    }
    this.#pending = undefined;
    if ('result' in message) pending?.resolve(JSON.parse(message.result));
    else pending?.reject(new FunctionError(message.errorType, message.errorMessage, message.trace));
  }

  /**
   * Callers have their responses only here, once the thread has ended, so that nothing the function
   * does can follow the error that its caller sees.
   */
  #bury(exitCode: number): FunctionError {
    this.#alive = false;
    const cause =
      this.#causeOfDeath ?? exitError(this.#pending?.requestId, `exit status ${exitCode}`);
    const crashedWhileIdle = this.#pending === undefined && cause.trace.length > 0;
    if (this.#pending !== undefined || crashedWhileIdle) {
      for (const line of [cause.message, ...cause.trace]) this.#onLog(line);
    }
    this.#pending?.reject(cause);
    return cause;
  }
}

const startThread = (settings: FunctionSettings): Worker => {
  const { name, codeDirectory, handler, memoryMb, clock } = settings;
  const data: RuntimeData = {
    codeDirectory,
    handler,
    clockAhead: clock?.ahead,
    context: {
      functionName: name,
      invokedFunctionArn: functionArn(name),
      memoryLimitInMB: String(memoryMb),
    },
  };
  return new Worker(new URL('./function-runtime.js', import.meta.url), {
    workerData: data,
    // Without this a thread inherits the parent's flags, such as a test runner's loaders.
    execArgv: [],
    env: {
      // Only what the template says and what Lambda adds: a handler that works because of the
      // developer's shell would fail on AWS.
      TZ: ':UTC',
      ...settings.environment,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    },
    resourceLimits: {
      maxOldGenerationSizeMb: memoryMb,
      maxYoungGenerationSizeMb: youngGenerationMb,
    },
  });
};

/** A function may throw anything, even null. */
const uncaught = (thrown: unknown): FunctionError => {
  if (!(thrown instanceof Error)) return new FunctionError(typeof thrown, inspect(thrown));
  if ('code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new FunctionError('Runtime.OutOfMemory', 'Runtime exited with error: signal: killed');
  }
  const { name, message, stack } = thrown;
  return new FunctionError(name, message, stack?.split('\n'));
};

const exitError = (requestId: string | undefined, reason: string): FunctionError =>
  new FunctionError(
    'Runtime.ExitError',
    `RequestId: ${requestId} Error: Runtime exited with error: ${reason}`,
  );
