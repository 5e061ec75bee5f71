/**
 * Runs the real functions where nothing happens by itself: an instance gets the time, its timers,
 * its random numbers and the responses to its calls from a `Machine`, and everything else is
 * computing. Two instances share no state, and one that is thrown away leaves nothing behind. As on
 * Lambda, an instance takes one event at a time, and one that has responded takes the next.
 *
 * The bundle is the deployed one, from the same sources with the same trims, with three
 * differences. It is one script, because a module can be loaded only once and never be unloaded.
 * The SDK's HTTP transport is replaced below `ObservingHandler`. The globals that are not computing
 * are parameters of the script.
 */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { bundling } from '../../../lib/bundles/bundles.ts';
import { trimPlugins } from '../../../lib/bundles/trims.ts';

/** A request as the SDK hands it to its HTTP handler. */
export interface HttpRequest {
  readonly hostname: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What an instance runs on. */
export interface Machine {
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly setTimer: (run: () => void, delayMs: number) => object;
  readonly clearTimer: (timer: object | undefined) => void;
  /** @throws Error as the transport does: without a response, or with an AbortError */
  readonly call: (request: HttpRequest, signal?: AbortSignal) => Promise<HttpResponse>;
}

type Handler = (event: unknown, context: object) => Promise<unknown>;

/** An instance of a function, which runs on the machine that it was taken for. */
export interface Instance {
  readonly handler: Handler;
  /** Lets it take another event. Without, it is thrown away. */
  readonly giveBack: () => void;
}

/** A function: takes one of its instances, or starts one. */
export type Program = (machine: Machine) => Instance;

/** By the names by which they are invoked. */
export type Programs = ReadonlyMap<string, Program>;

/** What a function of another version is called beside today's. */
export const nameBeside = (functionName: string): string => `${functionName} of the commit`;

/**
 * Compiles a function.
 *
 * @param entry a file of the project that exports `handler`, or the source of one
 * @param variables of its environment, always
 */
export const compile = async (
  entry: { readonly file: string } | { readonly source: string },
  variables: Readonly<Record<string, string>>,
  plugins: Plugin[] = [],
): Promise<Program> => {
  const { outputFiles } = await build({
    ...bundling,
    splitting: false,
    format: 'cjs',
    sourcemap: false,
    metafile: false,
    write: false,
    ...('file' in entry
      ? { entryPoints: [entry.file] }
      : { stdin: { contents: entry.source, loader: 'ts', resolveDir: bundling.absWorkingDir } }),
    plugins: [...plugins, transport, ...trimPlugins()],
    logLevel: 'warning',
  });
  const text = outputFiles[0]?.text ?? '';
  let script: ReturnType<typeof compileFunction> | undefined;
  const idle = new Map<string, ((machine: Machine) => Instance)[]>();
  const start = (first: Machine) => {
    let current = first;
    const module = { exports: {} as { handler: Handler } };
    const globals = { module, ...globalsOf(() => current, variables) };
    script ??= compileFunction(text, Object.keys(globals));
    script(...Object.values(globals));
    const take = (machine: Machine): Instance => {
      current = machine;
      const giveBack = () => idleWith(machine).push(take);
      return { handler: module.exports.handler, giveBack };
    };
    return take;
  };
  // Its environment is set when an instance starts.
  const idleWith = ({ environment }: Machine) => {
    const key = JSON.stringify(environment);
    const all = idle.get(key) ?? [];
    idle.set(key, all);
    return all;
  };
  return (machine) => (idleWith(machine).pop() ?? start(machine))(machine);
};

/** What a script gets. */
const globalsOf = (machine: () => Machine, variables: Readonly<Record<string, string>>) => {
  const now = () => machine().now();
  const setTimer: Machine['setTimer'] = (...given) => machine().setTimer(...given);
  const clearTimer: Machine['clearTimer'] = (timer) => machine().clearTimer(timer);
  const setTimeout = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    setTimer(() => run(...args), ms);
  const sleep = (ms: number, value?: unknown) =>
    new Promise((resolve) => setTimer(() => resolve(value), ms));
  const timers: Record<string, object> = {
    'node:timers': { setTimeout, clearTimeout: clearTimer },
    'node:timers/promises': { setTimeout: sleep },
  };
  const getBuiltinModule = (name: string) => timers[name] ?? process.getBuiltinModule(name);
  return {
    machine,
    process: Object.create(process, {
      // Powertools writes to it.
      env: { value: { ...variables, ...machine().environment } },
      stdout: { value: nowhere },
      stderr: { value: nowhere },
      getBuiltinModule: { value: getBuiltinModule },
    }),
    Date: class extends Date {
      constructor(...given: [number | string]) {
        super(...((given.at(0) === undefined ? [now()] : given) as [number]));
      }
      static override now = now;
    },
    // The pauses before another try: they end when the scheduler says so.
    Math: Object.create(Math, { random: { value: () => 0.5 } }),
    AbortSignal: new Proxy(AbortSignal, {
      get: (target, name) =>
        name === 'timeout' ? timeoutWith(setTimer) : Reflect.get(target, name),
    }),
    setTimeout,
    clearTimeout: clearTimer,
    setImmediate: (run: () => void) => setTimer(run, 0),
    setInterval: forbidden('setInterval'),
    fetch: forbidden('fetch'),
    console: new Console(nowhere),
  };
};

const timeoutWith =
  (setTimer: Machine['setTimer']) =>
  (ms: number): AbortSignal => {
    const controller = new AbortController();
    const error = new DOMException('The operation timed out.', 'TimeoutError');
    setTimer(() => controller.abort(error), ms);
    return controller.signal;
  };

const forbidden = (name: string) => () => {
  throw new Error(`${name} happens by itself: the scheduler does not see it.`);
};

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Replaces the class that `ObservingHandler` extends; all clients of the SDK use it. */
const transport: Plugin = {
  name: 'transport',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@smithy\/node-http-handler\/dist-es\/node-http-handler\.js$/ }, () => ({
      loader: 'js',
      contents: `
        import { HttpResponse } from '@smithy/core/protocols';
        export const DEFAULT_REQUEST_TIMEOUT = 0;
        export class NodeHttpHandler {
          metadata = { handlerProtocol: 'http/1.1' };
          static create(given) {
            return typeof given?.handle === 'function' ? given : new NodeHttpHandler();
          }
          async handle(request, { abortSignal } = {}) {
            return { response: new HttpResponse(await machine().call(request, abortSignal)) };
          }
          updateHttpClientConfig() {}
          httpHandlerConfigs() { return {}; }
          destroy() {}
        }`,
      resolveDir: `${bundling.absWorkingDir}/node_modules/@smithy/node-http-handler/dist-es`,
    }));
  },
};
