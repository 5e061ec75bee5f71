import { Console } from 'node:console';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import timers from 'node:timers/promises';
import { compileFunction } from 'node:vm';
import type { CommandLine } from './bundle-admin.ts';

/** How a command ended: its exit code, null if a signal killed it, and what it printed. */
export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Evaluates the modules of a bundle anew, so that commands share no state. */
type Bundle = (
  module: { exports?: CommandLine },
  require: (name: string) => unknown,
  process: NodeJS.Process,
  console: Console,
  clock: DateConstructor,
) => void;

const bundles = new Map<string, Bundle>();

const loadBundle = (path: string): Bundle => {
  const parameters = ['module', 'require', 'process', 'console', 'Date'];
  const bundle =
    bundles.get(path) ??
    (compileFunction(readFileSync(path, 'utf8'), parameters, { filename: path }) as Bundle);
  bundles.set(path, bundle);
  return bundle;
};

const shortPauseMs = 1000;

/** A clock that is ahead by the command's long pauses, none of which is waited out. */
const ownClock = () => {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const pause: typeof timers.setTimeout = async (ms = 0, ...rest) => {
    const isShort = ms < shortPauseMs;
    if (!isShort) aheadMs += ms;
    return timers.setTimeout(isShort ? ms : 10, ...rest);
  };
  const OwnDate = new Proxy(Date, {
    construct: (target, args) => Reflect.construct(target, args.length > 0 ? args : [now()]),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  return { Date: OwnDate, pause };
};

/**
 * Runs a command in this process, in a seventh of the time of a child process. It has a process of
 * its own, with arguments, environment, streams, exit code and listeners, and a clock of its own.
 * No signal reaches it.
 *
 * @param path of the command line as a CommonJS bundle
 */
export const runInProcess = async (
  path: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<CommandRun> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const own: NodeJS.Process = processWith({
    stdin: Readable.from([]),
    stdout,
    stderr,
    argv: [process.execPath, path, ...args],
    env: definedIn(environment),
    exitCode: undefined,
    exit: () => {
      throw new Error('A command that runs in the process of a test cannot end it.');
    },
  });
  const sockets = ownSockets();
  const clock = ownClock();
  const modules: Readonly<Record<string, unknown>> = {
    'node:process': own,
    'node:http': sockets.http,
    'node:timers/promises': { ...timers, setTimeout: clock.pause },
  };
  const require = createRequire(path);
  const module: Parameters<Bundle>[0] = {};
  const printed = Promise.all([text(stdout), text(stderr)]);
  loadBundle(path)(
    module,
    (name) => modules[name] ?? require(name),
    own,
    new Console(stdout, stderr),
    clock.Date,
  );
  await module.exports?.runCommandLine();
  sockets.close();
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code: Number(own.exitCode ?? 0), stdout: out, stderr: err };
};

/** This process, except for these properties and its listeners. */
const processWith = (properties: object): NodeJS.Process => {
  const own = Object.create(process, Object.getOwnPropertyDescriptors(properties));
  EventEmitter.call(own);
  return own;
};

const definedIn = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));

/** Node's HTTP with connections that can be closed, as those of a process are at its end. */
const ownSockets = () => {
  const agents: http.Agent[] = [];
  class Agent extends http.Agent {
    constructor(options?: http.AgentOptions) {
      super(options);
      agents.push(this);
    }
  }
  return {
    http: { ...http, Agent },
    close: () => {
      for (const agent of agents) agent.destroy();
    },
  };
};
