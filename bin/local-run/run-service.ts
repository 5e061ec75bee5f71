import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventSource } from '../../functions/domain/events.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
// Only modules that load fast: the checks below and Java must not wait for the rest, which is
// imported later.
import {
  type Engine,
  type Log,
  oneLine,
  startDynamodb,
  startEngine,
} from '../../lib/local/local-engine.ts';
import type { LiveState } from '../reference/live-state.ts';
import { forwardEvents } from './forward-events.ts';
import { lockStackFile } from './lock-stack-file.ts';
import type { LocalOptions } from './options.ts';
import { isFree, requireDatabase, requirePort } from './requirements.ts';

const usualPort = 3000;

export interface RunReports {
  readonly log: Log;
  /** Prints the step of the start that begins. */
  readonly say: (step: string) => void;
  /** Called when the database has ended by itself. */
  readonly onLost: (reason: string) => void;
}

/**
 * Starts the whole service on this machine, and prints what a developer needs: the database, the
 * template on it, and the reference page.
 *
 * @returns what stops it
 * @throws Error with a sentence, when something that it needs is missing or taken
 */
export const runService = async (
  options: LocalOptions,
  { say, log: print, onLost }: RunReports,
): Promise<() => Promise<void>> => {
  const { dynamodb, forwardTo, port, stackFile, verbose, watch } = options;
  const log: Log = (line, status) => print(oneLine(line), status);
  const preferred = port ?? usualPort;
  say('Checking the port and the database');
  await requirePort(preferred);
  lockStackFile(stackFile);
  await requireDatabase(dynamodb);
  const free = preferred === 0 || (await isFree(preferred));
  if (!free && port) throw Object.assign(new Error(), { code: 'EADDRINUSE', port });
  if (!free) sayPortTaken(preferred);

  // Java starts while another process bundles and synthesizes.
  say(`${dynamodb ? 'B' : 'Starting DynamoDB Local, b'}undling what has changed`);
  const database = dynamodb ? undefined : startDynamodb();
  // The engine, which waits for the database, reports that it cannot start.
  database?.then(({ lost }) => lost).then(onLost, () => {});
  const assembly = synthesize(say);
  assembly.catch(() => {});
  const { LiveState } = await import('../reference/live-state.ts');
  const live = new LiveState();
  const forward = forwardTo && forwardEvents(forwardTo, log);
  const stack = await startEngine({
    assemblyDirectory: assembly,
    port: free ? preferred : 0,
    // Another run may take it during the synthesis.
    onPortTaken: port === undefined ? sayPortTaken : undefined,
    dynamodbUrl: dynamodb?.origin ?? database?.then(({ url }) => url),
    prepare: (engine) => {
      say('Loading the demo data');
      return prepareTable(engine);
    },
    log,
    onResponse: (request) => live.addRequest(request),
    onEvent: (event) => {
      if (event.source !== eventSource) return;
      live.addEvent(event);
      void forward?.(event);
    },
    functionLog: (name, line) => {
      if (/^\{.*"import-record"/.test(line)) live.addRecord(line);
      if (verbose) log(`${name}: ${line}`, 'done');
    },
  });
  const file = await startPage(stack, live);
  writeFileSync(stackFile, `${JSON.stringify(file, null, 2)}\n`);
  const { welcome } = await import('./welcome.ts');
  console.log(welcome(file, stack.notRun, options));
  const { watchFunctions } = watch ? await import('./watch-functions.ts') : {};
  const endWatch = await watchFunctions?.(stack.replaceCode, log);
  return async () => {
    rmSync(stackFile, { force: true });
    await endWatch?.();
    await stack.stop();
    await (await database)?.stop();
  };
};

/** @returns the directory of the assembly */
const synthesize = async (say: RunReports['say']): Promise<string> => {
  const directory = buildDirectory();
  const program = join(import.meta.dirname, 'synthesize.ts');
  const child = fork(program, [directory], { execArgv: [] }).on('message', say);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('The template could not be synthesized.');
  return directory;
};

/** Has the code of `functions` find the run in this process too, and puts the demo data there. */
const prepareTable = async ({ endpoints, outputs }: Pick<Engine, 'endpoints' | 'outputs'>) => {
  const { loadDemoData } = await import('./demo-data.ts');
  const { localEnvironment } = await import('../stack-file/local-environment.ts');
  Object.assign(process.env, localEnvironment({ table: outputs.TableName ?? '', endpoints }));
  await loadDemoData();
};

/** Serves the reference page at the port after that of the API. */
const startPage = async (stack: Engine, live: LiveState) => {
  const { startReference } = await import('../reference/start-reference.ts');
  const { queueUrls } = await import('../stack-file/queue-urls.ts');
  const { stackFileOf } = await import('../stack-file/stack-file.ts');
  // A URL leaves out the port of its protocol.
  const preferred = Math.min(Number(new URL(stack.url).port || 80) + 1, 65_535);
  const free = await isFree(preferred);
  if (!free) sayPortTaken(preferred);
  const page = await startReference({
    port: free ? preferred : 0,
    api: stack.url,
    mailbox: stack.mailbox,
    snapshot: () => live.snapshot(stack.queues, queueUrls(stack.outputs)),
  });
  return stackFileOf(stack, page.url);
};

const sayPortTaken = (port: number): void =>
  console.log(`Port ${port} is taken; using a free one.`);
