import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { buildDirectory } from '../lib/bundles/build-directory.ts';
import type { LiveBundles } from '../lib/bundles/live-bundles.ts';
// Only modules that load fast: the checks below and Java must not wait for the rest, which is
// imported later.
import {
  checkJava,
  type Engine,
  lockData,
  lockDirectory,
  startDynamodb,
  startEngine,
} from '../lib/local/local-engine.ts';
import { bypassProxy } from './bypass-proxy.ts';
import { databaseUrl, reachDatabase } from './database-url.ts';
import { portOf } from './http-url.ts';
import { keepCompiled } from './keep-compiled.ts';
import type { StackFile } from './local-run/stack-file.ts';
import { stackFilePath } from './local-run/stack-file-path.ts';
import { numberBetween } from './number-argument.ts';
import type { LiveState } from './reference/live-state.ts';
import { startProgress } from './start-progress.ts';
import type { SynthesisMessage } from './synthesize.ts';
import type { Watch } from './watch.ts';

keepCompiled();
bypassProxy();

const port = numberBetween(0, 65_535, 'A port is 0 to 65535.');

const path = (text: string): string => {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
};

const options = new Command('npm start --')
  .description(
    'Runs the whole service on this machine: synthesizes the CDK app and executes its template, with the real DynamoDB Local (Java 17 or later), a mailbox and demo data.',
  )
  .option(
    '--port <number>',
    'port of the API; without it 3000, or a free one if that is taken',
    port,
  )
  .option(
    '--dynamodb <url>',
    'use a DynamoDB that is already running instead of starting one',
    databaseUrl,
  )
  .option('--data <directory>', 'keep the data there between runs (default: in memory)', path)
  .addOption(
    new Option('--stack-file <file>', 'write there how other commands find this run')
      .env('WFP_STACK_FILE')
      .default(stackFilePath)
      .argParser(path),
  )
  .option(
    '--retry-delay <seconds>',
    'retry a failed message after this many seconds; after five failures it becomes a dead letter',
    numberBetween(0, 43_200, 'A delay is 0 to 43,200 seconds.'),
  )
  .option('--verbose', 'print the log lines of the functions too')
  .option(
    '--watch',
    'run the files of functions/ that you save from the next request on; a save in lib/ that changes the template restarts the run on its data',
  )
  .option(
    '--inspect [port]',
    'let a debugger stop in the sources of the functions, without timeouts; port 9229 unless given',
    port,
  )
  .addHelpText(
    'after',
    `
Addresses, tokens and identifiers are printed at start and written to the stack file, where other commands
find the run. A second run in this folder needs a --stack-file of its own, such as .local/other.json, and its
own --data. Pass the file to other commands too, with --stack-file or WFP_STACK_FILE.
Ctrl-C stops everything.`,
  )
  .parse()
  .opts<{
    stackFile: string;
    port?: number;
    dynamodb?: string;
    data?: string;
    retryDelay?: number;
    verbose?: boolean;
    watch?: boolean;
    inspect?: number | true;
  }>();

const inspectorPort = () => (options.inspect === true ? 9229 : (options.inspect ?? 0));

const progress = startProgress();
const startedAt = performance.now();

const fail = (error: unknown): never => {
  progress.end();
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number };
  console.error(code === 'EADDRINUSE' ? `Port ${port} is taken; give another --port.` : message);
  process.exit(1);
};

// Until the stack runs, ending this process ends all that it has started.
let stack: Engine | undefined;
let stopReference: (() => Promise<void>) | undefined;
let database: ReturnType<typeof startDynamodb> | undefined;
let live: LiveState | undefined;
/** Of the API and the reference. */
const addresses: string[] = [];
let assemblyDirectory: string | undefined;
let watch: Watch | undefined;
let stopping = false;
const stop = async (exitCode = 0) => {
  if (stopping) return;
  stopping = true;
  progress.end();
  watch?.close();
  if (options.inspect !== undefined) {
    const { closeInspector } = await import('./inspector.ts');
    closeInspector();
  }
  if (stack) {
    rmSync(options.stackFile, { force: true });
    await stack.stop();
    await (await database)?.stop();
    const lost = `The data were in memory and are gone. ${dataAdvice}`;
    if (exitCode === 0) console.log(`Stopped. ${keptData() ?? lost}`);
  }
  process.exit(exitCode);
};
const dataAdvice = 'To keep data between runs: npm start -- --data .local/data';
/** Where data outlive the run; undefined when they do not. */
const keptData = (): string | undefined => {
  const { data, dynamodb } = options;
  if (data !== undefined) return `The data are kept in ${data}.`;
  return dynamodb && `The table is kept at ${dynamodb}.`;
};
// SIGHUP: the terminal was closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop());
// The reader of a pipe has ended, or a disk is full.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ message }) => {
    if (!stopping) console.error(`The output cannot be written: ${message}.`);
    void stop(1);
  });
}
// Killing npm leaves its child running, with another parent.
const parent = process.ppid;
setInterval(() => process.ppid === parent || stop(), 1000).unref();

const start = async (): Promise<void> => {
  progress.say('Checking the port and the database');
  const announce = lockRun();
  await requirePortsAndDatabase();
  if (!options.dynamodb) database = ownDatabase();

  // Java starts while another process bundles and synthesizes.
  progress.say(`${database ? 'Starting DynamoDB Local, b' : 'B'}undling what has changed`);
  const running = Promise.withResolvers<void>();
  const bundles = await liveBundles(running.promise);
  const assembly = (async () => {
    await bundles?.rebuild();
    if (!options.watch) await bundles?.dispose();
    const directory = await synthesize(bundles, progress.say);
    progress.say(database ? 'Waiting for DynamoDB Local' : 'Starting the template');
    return directory;
  })();
  assembly.catch(() => {});
  const file = await startTemplate(assembly, options.port ?? 3000);
  announce(file.url);
  addresses.push(file.url, file.reference);
  await printWelcome(file);
  running.resolve();
};

/** What is in memory lasts until this process ends, so that another template finds it. */
const dataDirectory = options.data ?? (options.watch ? buildDirectory() : undefined);

/** Runs a template on the database, with the reference page beside its API. */
const startTemplate = async (
  assembly: string | Promise<string>,
  port: number,
  referencePort?: number,
): Promise<StackFile> => {
  const { LiveState } = await import('./reference/live-state.ts');
  live ??= new LiveState();
  const state = live;
  stack = await startEngine({
    assemblyDirectory: assembly,
    port,
    // Not looked up before: another run may take the port during the synthesis.
    onPortTaken: options.port === undefined ? printPortTaken : undefined,
    dynamodbUrl: options.dynamodb ?? database?.then(({ url }) => url),
    dataDirectory,
    ...(options.retryDelay !== undefined && { retryDelayMs: options.retryDelay * 1000 }),
    isDebugged: options.inspect !== undefined,
    prepare: prepareTable,
    log: progress.print,
    onAnswer: (request, body) => state.addRequest(request, body),
    onEvent: (event) => state.addEvent(event),
    functionLog: options.verbose
      ? (name, line) => progress.print(`${name}: ${line}`, 'done')
      : undefined,
  });
  return serveReference(stack, state, referencePort);
};

/** Stops everything but the database, and runs another template on its data and its ports. */
const restart = async (directory: string): Promise<void> => {
  rmSync(options.stackFile, { force: true });
  await stopReference?.();
  await stack?.stop();
  const [api = 0, reference] = addresses.map(portOf);
  writeStackFile(await startTemplate(directory, api, reference));
};

const writeStackFile = (file: StackFile): void =>
  writeFileSync(options.stackFile, `${JSON.stringify(file, null, 2)}\n`);

/**
 * Takes the stack file and the data for this run.
 *
 * @returns says where it can be reached
 * @throws Error that names the run which has them
 */
const lockRun = (): ((url: string) => void) => {
  const { stackFile, data } = options;
  const advice = 'start this one with a --stack-file of its own';
  const locks = [
    lockDirectory(`${stackFile}.lock`, `the stack file ${stackFile}`, advice),
    ...(data === undefined ? [] : [lockData(data)]),
  ];
  // That of a run that was killed.
  rmSync(stackFile, { force: true });
  return (url) => {
    for (const announce of locks) announce(url);
  };
};

/** @throws Error when a port that is asked for is taken, or when there is no database */
const requirePortsAndDatabase = async (): Promise<void> => {
  await (options.dynamodb ? reachDatabase(options.dynamodb) : checkJava());
  if (options.port && !(await isFree(options.port))) {
    throw Object.assign(new Error(), { code: 'EADDRINUSE', port: options.port });
  }
  if (options.inspect !== undefined && !(await isFree(inspectorPort()))) {
    throw new Error(`Port ${inspectorPort()} is taken; give another one: --inspect <port>.`);
  }
};

const prepareTable = async ({
  endpoints,
  outputs,
}: Pick<Engine, 'endpoints' | 'outputs'>): Promise<void> => {
  progress.say('Loading the demo data');
  const { loadDemoData } = await import('./local-run/demo-data.ts');
  const { localEnvironment } = await import('./local-run/local-environment.ts');
  Object.assign(process.env, localEnvironment({ table: outputs.TableName ?? '', endpoints }));
  await loadDemoData();
};

/** Serves the reference page beside the API. */
const serveReference = async (
  stack: Engine,
  live: LiveState,
  port?: number,
): Promise<StackFile> => {
  const { startReference } = await import('./reference/start-reference.ts');
  const { queueUrls } = await import('./local-run/resources.ts');
  const { stackFileOf } = await import('./local-run/stack-file.ts');
  const { url = '', mailbox, endpoints, queues, outputs } = stack;
  const dynamodbUrl = endpoints.dynamodb;
  const unfollow = await live.follow({ dynamodbUrl, queues, queueUrls: queueUrls(outputs) });
  const reference = await startReference({
    port: port ?? (await preferredPort(Math.min(portOf(url) + 1, 65_535))),
    api: url,
    mailbox,
    live,
  });
  stopReference = async () => {
    stopReference = undefined;
    await unfollow();
    await reference.stop();
  };
  return stackFileOf(stack, reference.url);
};

/** Writes the file for other commands, and prints what a developer needs. */
const printWelcome = async (file: StackFile): Promise<void> => {
  const { welcome } = await import('./welcome.ts');
  writeStackFile(file);
  progress.end();
  const notRun = stack?.notRun ?? [];
  if (notRun.length > 0) console.log(`Without effect here: ${notRun.join(', ')}.`);
  if (!options.dynamodb) {
    console.log(
      'DynamoDB Local listens on every interface of this machine; all else on 127.0.0.1.',
    );
  }
  console.log(welcome(file, options.stackFile));
  console.log(keptData() ?? `The data are in memory. ${dataAdvice}`);
  if (options.watch) console.log('Saves in functions/ and lib/ are taken over.');
  if (options.inspect !== undefined) {
    const { openInspector } = await import('./inspector.ts');
    openInspector(inspectorPort());
    console.log('Functions and API Gateway have no timeouts while --inspect is on.');
  }
  console.log(`Ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
};

/** For --watch and --inspect, which need bundles that can be made again or read in a debugger. */
const liveBundles = async (isRunning: Promise<void>): Promise<LiveBundles | undefined> => {
  const isDebugged = options.inspect !== undefined;
  if (!options.watch && !isDebugged) return undefined;
  const { LiveBundles } = await import('../lib/bundles/live-bundles.ts');
  const bundles = new LiveBundles({ minify: !isDebugged });
  if (options.watch) {
    const { Watch } = await import('./watch.ts');
    watch = new Watch({
      isRunning,
      bundles,
      replaceCode: async (name, directory) => stack?.replaceCode(name, directory),
      synthesize: () => synthesize(bundles, () => {}),
      restart,
      print: progress.print,
    });
  }
  return bundles;
};

/** Resolves with the directory of the assembly, which is the same one each time. */
const synthesize = async (
  bundles: LiveBundles | undefined,
  say: (step: string) => void,
): Promise<string> => {
  assemblyDirectory ??= buildDirectory();
  const directory = assemblyDirectory;
  const made = bundles ? [JSON.stringify(bundles.directories)] : [];
  const program = join(import.meta.dirname, 'synthesize.ts');
  const child = fork(program, [directory, ...made], { execArgv: [] });
  let reason = 'The template could not be synthesized.';
  child.on('message', (message: SynthesisMessage) => {
    if ('step' in message) say(message.step);
    else reason = message.error;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(reason);
  return directory;
};

/** Its files in the data directory; without one everything is in memory. */
const ownDatabase = () => {
  const directory = options.data && join(options.data, 'dynamodb');
  if (directory) mkdirSync(directory, { recursive: true });
  const starting = startDynamodb({
    ...(directory && { directory }),
    onRestart: () =>
      progress.print('DynamoDB Local has ended; starting it again on its data.', 'failed'),
  });
  starting
    .then(({ lost }) => lost)
    .then((reason) => {
      progress.print(reason, 'failed');
      void stop(1);
    }, fail);
  return starting;
};

/** The port if it is free; otherwise says so, and leaves the choice to the system. */
const preferredPort = async (preferred: number): Promise<number> => {
  const free = await isFree(preferred);
  if (!free) printPortTaken(preferred);
  return free ? preferred : 0;
};

const printPortTaken = (port: number): void =>
  progress.print(`Port ${port} is taken; using a free one.`, 'done');

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

try {
  await start();
} catch (error) {
  fail(error);
}
