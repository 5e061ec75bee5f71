import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BuildFailure, formatMessages } from 'esbuild';
import {
  type LiveBundles,
  type Rebuilt,
  readTemplateInputs,
} from '../../lib/bundles/live-bundles.ts';
import type { Log } from '../../lib/local/local-engine.ts';
import { type WatchedFiles, watchFiles } from './saved-files.ts';

const root = join(import.meta.dirname, '../..');

/** The parts that `npm start -- --watch` changes while it runs. */
interface WatchOptions {
  /** Files that are saved before it runs are taken over when it does. */
  readonly isRunning: Promise<void>;
  readonly bundles: LiveBundles;
  /** Runs later invocations of a function with other code; resolves when the earlier is unused. */
  readonly replaceCode: (functionName: string, directory: string) => Promise<void>;
  readonly synthesize: () => Promise<void>;
  /** Runs the template on the same data. */
  readonly restart: () => Promise<void>;
  readonly print: Log;
}

/**
 * Takes over what is saved in `functions` and `lib`: new code of functions at once; for another
 * template the run is restarted on its data. What is saved meanwhile is taken over together. Types
 * are checked by the editor and by CI.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #watched: WatchedFiles;
  readonly #waiting = new Set<string>();
  /** The files that could not be taken over: the next save may complete them. */
  readonly #notTakenOver = new Set<string>();
  #isWorking = false;
  /** Whether the last restart has failed. */
  #isStopped = false;
  /** The files that the template is made of. */
  #inputs: ReadonlySet<string> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#watched = watchFiles(root, ['functions', 'lib'], (saved) => {
      for (const file of saved) this.#waiting.add(file);
      void this.#work();
    });
  }

  /** Ends the watch and the builds. */
  close(): void {
    this.#watched.close();
    void this.#options.bundles.dispose();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    await this.#options.isRunning;
    while (this.#waiting.size > 0) await this.#takeOver(this.#takeWaiting());
    this.#isWorking = false;
  }

  #takeWaiting(): string[] {
    const files = [...this.#waiting];
    this.#waiting.clear();
    return files;
  }

  async #takeOver(saved: readonly string[]): Promise<void> {
    const startedAt = performance.now();
    const done: string[] = [];
    for (const file of saved) this.#notTakenOver.add(file);
    const say = (end: string, status: 'done' | 'failed', details = '') => {
      const more = saved.length > 1 ? ` and ${saved.length - 1} more` : '';
      const tookMs = Math.round(performance.now() - startedAt);
      this.#options.print(`${saved[0]}${more} saved: ${end} (${tookMs} ms)${details}`, status);
    };
    try {
      await this.#takeOverFiles([...this.#notTakenOver], done);
      this.#notTakenOver.clear();
      say(done.join(', ') || 'nothing that runs depends on it', 'done');
    } catch (error) {
      const now = this.#isStopped
        ? 'nothing runs until the next save'
        : 'the previous version keeps running';
      say([...done, now].join(', '), 'failed', `\n${await explain(error)}`);
    }
  }

  /** @param done gets what was taken over, before an error too */
  async #takeOverFiles(files: string[], done: string[]): Promise<void> {
    if (files.some((file) => this.#options.bundles.dependOn(file))) {
      done.push(...this.#replaceCode(await this.#rebuild()));
      files.push(...this.#takeWaiting());
    }
    this.#inputs ??= await readTemplateInputs();
    if (!this.#isStopped && !files.some((file) => this.#inputs?.has(file))) return;
    await this.#restart();
    done.push('restarted');
  }

  /** @throws Error when the template cannot be synthesized or run */
  async #restart(): Promise<void> {
    const { synthesize, restart } = this.#options;
    await synthesize();
    this.#isStopped = true;
    await restart();
    this.#isStopped = false;
    this.#inputs = undefined;
  }

  /** Bundles again if a file was written while esbuild read it. */
  async #rebuild(): Promise<Rebuilt[]> {
    for (;;) {
      const touches = this.#watched.touches();
      const isCurrent = async () => {
        // So that the events that are pending now are counted.
        await nextTurn();
        return this.#watched.touches() === touches;
      };
      try {
        const rebuilt = await this.#options.bundles.rebuild(isCurrent);
        if (rebuilt) return rebuilt;
      } catch (error) {
        if (await isCurrent()) throw error;
      }
      await this.#watched.waitUntilReported();
    }
  }

  /** The next invocations run the new code; earlier files stay while an instance has them. */
  #replaceCode(rebuilt: readonly Rebuilt[]): string[] {
    for (const { functionName, directory, earlier } of rebuilt) {
      const replaced = this.#options.replaceCode(functionName, directory);
      if (earlier) void replaced.then(() => rmSync(earlier, { recursive: true, force: true }));
    }
    const names = rebuilt.map(({ functionName }) => functionName);
    return names.length > 0 ? [`rebuilt ${names.join(', ')}`] : [];
  }
}

/** The messages of esbuild with their lines of the source; otherwise the error. */
const explain = async (error: unknown): Promise<string> => {
  const { errors, message } = error as BuildFailure;
  if (!errors) return message;
  const color = process.stdout.isTTY === true;
  return (await formatMessages(errors, { kind: 'error', color })).join('').trimEnd();
};
