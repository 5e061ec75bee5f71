import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import type { LiveBundles } from '../../lib/bundles/live-bundles.ts';
// Only modules that load fast: the checks below and Java must not wait for the rest, which is
// imported later.
import {
  checkJava,
  type Engine,
  startDynamodb,
  startEngine,
} from '../../lib/local/local-engine.ts';
import { portOf } from '../http-url.ts';
import type { LiveState } from '../reference/live-state.ts';
import { reachDatabase } from './database-url.ts';
import { inspectorPort, type LocalOptions } from './options.ts';
import { isFree } from './ports.ts';
import type { StackFile } from './stack-file.ts';
import type { StartProgress } from './start-progress.ts';
import { synthesize } from './synthesis.ts';
import type { Watch } from './watch.ts';

const dataAdvice = 'To keep data between runs: npm start -- --data .local/data';

interface Ends {
  /** Is called when the database does not start: without waiting for the synthesis. */
  readonly onFailed: (error: unknown) => void;
  /** Is called when the database has ended for good. */
  readonly onLost: (reason: string) => void;
}

/** The whole service on this machine: the database, the template on it, and the reference page. */
export class LocalRun {
  readonly #options: LocalOptions;
  readonly #progress: StartProgress;
  readonly #ends: Ends;
  readonly #assemblyDirectory = buildDirectory();
  /** Of the API and the reference. */
  readonly #addresses: string[] = [];
  #stack: Engine | undefined;
  #stopReference: (() => Promise<void>) | undefined;
  #database: ReturnType<typeof startDynamodb> | undefined;
  #live: LiveState | undefined;
  #watch: Watch | undefined;

  constructor(options: LocalOptions, progress: StartProgress, ends: Ends) {
    this.#options = options;
    this.#progress = progress;
    this.#ends = ends;
  }

  /**
   * Starts everything, and prints what a developer needs.
   *
   * @throws Error with a sentence, when something that it needs is missing or taken
   */
  async start(): Promise<void> {
    const { dynamodb, port, watch } = this.#options;
    const { say } = this.#progress;
    say('Checking the port and the database');
    mkdirSync(dirname(this.#options.stackFile), { recursive: true });
    await this.#requirePortsAndDatabase();
    if (!dynamodb) this.#database = this.#ownDatabase();

    // Java starts while another process bundles and synthesizes.
    say(`${this.#database ? 'Starting DynamoDB Local, b' : 'B'}undling what has changed`);
    const running = Promise.withResolvers<void>();
    const bundles = await this.#liveBundles(running.promise);
    const assembly = (async () => {
      await bundles?.rebuild();
      if (!watch) await bundles?.dispose();
      await synthesize(this.#assemblyDirectory, bundles?.directories, say);
      say(this.#database ? 'Waiting for DynamoDB Local' : 'Starting the template');
      return this.#assemblyDirectory;
    })();
    assembly.catch(() => {});
    const file = await this.#startTemplate(assembly, port ?? 3000);
    this.#addresses.push(file.url, file.reference);
    await this.#printWelcome(file);
    running.resolve();
  }

  /**
   * Stops everything that it has started. Until the stack runs, the end of this process ends it.
   *
   * @returns what becomes of the data, if the stack ran
   */
  async stop(): Promise<string | undefined> {
    this.#watch?.close();
    if (this.#options.inspect !== undefined) {
      const { closeInspector } = await import('./inspector.ts');
      closeInspector();
    }
    if (!this.#stack) return undefined;
    rmSync(this.#options.stackFile, { force: true });
    await this.#stack.stop();
    await (await this.#database)?.stop();
    return this.#keptData() ?? `The data were in memory and are gone. ${dataAdvice}`;
  }

  /** Where data outlive the run; undefined when they do not. */
  #keptData(): string | undefined {
    const { data, dynamodb } = this.#options;
    if (data !== undefined) return `The data are kept in ${data}.`;
    return dynamodb && `The table is kept at ${dynamodb}.`;
  }

  /** Runs a template on the database, with the reference page beside its API. */
  async #startTemplate(
    assembly: string | Promise<string>,
    port: number,
    referencePort?: number,
  ): Promise<StackFile> {
    const { LiveState } = await import('../reference/live-state.ts');
    const { dynamodb, verbose } = this.#options;
    const { print } = this.#progress;
    this.#live ??= new LiveState();
    const live = this.#live;
    this.#stack = await startEngine({
      assemblyDirectory: assembly,
      port,
      // Not looked up before: another run may take the port during the synthesis.
      onPortTaken: this.#options.port === undefined ? this.#printPortTaken : undefined,
      dynamodbUrl: dynamodb ?? this.#database?.then(({ url }) => url),
      prepare: (engine) => this.#prepareTable(engine),
      log: print,
      onAnswer: (request, body) => live.addRequest(request, body),
      onEvent: (event) => live.addEvent(event),
      functionLog: verbose ? (name, line) => print(`${name}: ${line}`, 'done') : undefined,
    });
    return this.#serveReference(this.#stack, live, referencePort);
  }

  /** Stops everything but the database, and runs another template on its data and its ports. */
  async #restart(): Promise<void> {
    rmSync(this.#options.stackFile, { force: true });
    await this.#stopReference?.();
    await this.#stack?.stop();
    const [api = 0, reference] = this.#addresses.map(portOf);
    this.#writeStackFile(await this.#startTemplate(this.#assemblyDirectory, api, reference));
  }

  #writeStackFile(file: StackFile): void {
    writeFileSync(this.#options.stackFile, `${JSON.stringify(file, null, 2)}\n`);
  }

  /** @throws Error when a port that is asked for is taken, or when there is no database */
  async #requirePortsAndDatabase(): Promise<void> {
    const { dynamodb, port, inspect } = this.#options;
    await (dynamodb ? reachDatabase(dynamodb) : checkJava());
    if (port && !(await isFree(port))) {
      throw Object.assign(new Error(), { code: 'EADDRINUSE', port });
    }
    const debugged = inspectorPort(this.#options);
    if (inspect !== undefined && !(await isFree(debugged))) {
      throw new Error(`Port ${debugged} is taken; give another one: --inspect <port>.`);
    }
  }

  async #prepareTable({ endpoints, outputs }: Pick<Engine, 'endpoints' | 'outputs'>) {
    this.#progress.say('Loading the demo data');
    const { loadDemoData } = await import('./demo-data.ts');
    const { localEnvironment } = await import('./local-environment.ts');
    Object.assign(process.env, localEnvironment({ table: outputs.TableName ?? '', endpoints }));
    await loadDemoData();
  }

  /** Serves the reference page beside the API. */
  async #serveReference(stack: Engine, live: LiveState, port?: number): Promise<StackFile> {
    const { startReference } = await import('../reference/start-reference.ts');
    const { queueUrls } = await import('./resources.ts');
    const { stackFileOf } = await import('./stack-file.ts');
    const { url = '', mailbox, endpoints, queues, outputs } = stack;
    const dynamodbUrl = endpoints.dynamodb;
    const unfollow = await live.follow({ dynamodbUrl, queues, queueUrls: queueUrls(outputs) });
    const reference = await startReference({
      port: port ?? (await this.#preferredPort(Math.min(portOf(url) + 1, 65_535))),
      api: url,
      mailbox,
      live,
    });
    this.#stopReference = async () => {
      this.#stopReference = undefined;
      await unfollow();
      await reference.stop();
    };
    return stackFileOf(stack, reference.url);
  }

  /** Writes the file for other commands, and prints what a developer needs. */
  async #printWelcome(file: StackFile): Promise<void> {
    const { welcome } = await import('./welcome.ts');
    const { stackFile, dynamodb, watch, inspect } = this.#options;
    this.#writeStackFile(file);
    this.#progress.end();
    const notRun = this.#stack?.notRun ?? [];
    if (notRun.length > 0) console.log(`Without effect here: ${notRun.join(', ')}.`);
    if (!dynamodb) {
      console.log(
        'DynamoDB Local listens on every interface of this machine; all else on 127.0.0.1.',
      );
    }
    console.log(welcome(file, stackFile));
    console.log(this.#keptData() ?? `The data are in memory. ${dataAdvice}`);
    if (watch) console.log('Saves in functions/ and lib/ are taken over.');
    if (inspect !== undefined) {
      const { openInspector } = await import('./inspector.ts');
      openInspector(inspectorPort(this.#options));
      console.log('Functions and API Gateway have no timeouts while --inspect is on.');
    }
  }

  /** For --watch and --inspect, which need bundles that can be made again or read in a debugger. */
  async #liveBundles(isRunning: Promise<void>): Promise<LiveBundles | undefined> {
    const isDebugged = this.#options.inspect !== undefined;
    if (!this.#options.watch && !isDebugged) return undefined;
    const { LiveBundles } = await import('../../lib/bundles/live-bundles.ts');
    const bundles = new LiveBundles({ minify: !isDebugged });
    if (this.#options.watch) {
      const { Watch } = await import('./watch.ts');
      this.#watch = new Watch({
        isRunning,
        bundles,
        replaceCode: async (name, directory) => this.#stack?.replaceCode(name, directory),
        synthesize: () => synthesize(this.#assemblyDirectory, bundles.directories, () => {}),
        restart: () => this.#restart(),
        print: this.#progress.print,
      });
    }
    return bundles;
  }

  #ownDatabase(): ReturnType<typeof startDynamodb> {
    const starting = startDynamodb();
    starting.then(({ lost }) => lost).then(this.#ends.onLost, this.#ends.onFailed);
    return starting;
  }

  /** The port if it is free; otherwise says so, and leaves the choice to the system. */
  async #preferredPort(preferred: number): Promise<number> {
    const free = await isFree(preferred);
    if (!free) this.#printPortTaken(preferred);
    return free ? preferred : 0;
  }

  readonly #printPortTaken = (port: number): void =>
    this.#progress.print(`Port ${port} is taken; using a free one.`, 'done');
}
