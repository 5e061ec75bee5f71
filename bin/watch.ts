import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BuildFailure, formatMessages } from 'esbuild';
import { type LiveBundles, type Rebuilt, readTemplateInputs } from '../lib/bundles/live-bundles.ts';
import type { LocalStack, Log } from '../lib/local/local-engine.ts';
import { type WatchedFiles, watchFiles } from './saved-files.ts';
import { TypeCheck } from './type-check.ts';

const root = join(import.meta.dirname, '..');

/** The parts that `npm start -- --watch` changes while it runs. */
interface WatchOptions {
  /** Files that are saved before it runs are taken over when it does. */
  readonly stack: Promise<LocalStack>;
  readonly bundles: LiveBundles;
  /** Resolves with the directory of the assembly. */
  readonly synthesize: () => Promise<string>;
  readonly print: Log;
}

/**
 * Takes over what is saved in `functions` and `lib` unless tsc soon finds a type that is wrong: new
 * code of functions at once, another template after it is synthesized. What is saved meanwhile is
 * taken over together.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #types: TypeCheck;
  readonly #watched: WatchedFiles;
  readonly #waiting = new Set<string>();
  /** The files that could not be taken over: the next save may complete them. */
  readonly #notTakenOver = new Set<string>();
  #isWorking = false;
  /** The files that the template is made of. */
  #inputs: ReadonlySet<string> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#types = new TypeCheck(options.print);
    this.#watched = watchFiles(root, ['functions', 'lib'], (saved) => {
      for (const file of saved) this.#waiting.add(file);
      if (saved.some((file) => file.startsWith('lib/'))) this.#types.addLib();
      void this.#work();
    });
    // The check of a first save is fast then.
    void options.stack.then(() => this.#types.finish());
  }

  /** Ends the watch and the builds. */
  close(): void {
    this.#watched.close();
    this.#types.stop();
    void this.#options.bundles.dispose();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    await this.#options.stack;
    while (this.#waiting.size > 0) await this.#takeOver(this.#takeWaiting());
    this.#isWorking = false;
    await this.#types.finish();
  }

  #takeWaiting(): string[] {
    const files = [...this.#waiting];
    this.#waiting.clear();
    return files;
  }

  async #takeOver(saved: readonly string[]): Promise<void> {
    const startedAt = performance.now();
    const done: string[] = [];
    // Its report would be about the earlier save.
    this.#types.stop();
    for (const file of saved) this.#notTakenOver.add(file);
    const say = (end: string, status: 'done' | 'failed', details = '') => {
      const more = saved.length > 1 ? ` and ${saved.length - 1} more` : '';
      const tookMs = Math.round(performance.now() - startedAt);
      this.#options.print(`${saved[0]}${more} saved: ${end} (${tookMs} ms)${details}`, status);
    };
    try {
      await this.#takeOverFiles([...this.#notTakenOver], done);
      this.#notTakenOver.clear();
      if (this.#types.isLate && done.length > 0) done.push('runs before its types are checked');
      say(done.join(', ') || 'nothing that runs depends on it', 'done');
    } catch (error) {
      const end = [...done, 'the previous version keeps running'].join(', ');
      say(end, 'failed', `\n${await explain(error)}`);
    }
  }

  /** @param done gets what was taken over, before an error too */
  async #takeOverFiles(files: string[], done: string[]): Promise<void> {
    const types = this.#types;
    const isCode = files.some((file) => this.#options.bundles.dependOn(file));
    if (isCode) {
      done.push(...replaceCode(await this.#options.stack, await this.#rebuild()));
      files.push(...this.#takeWaiting());
    }
    this.#inputs ??= await readTemplateInputs();
    if (!files.some((file) => this.#inputs?.has(file))) return;
    const isLate = isCode ? types.isLate : !(await types.require());
    await this.#deploy();
    done.push('took over the template');
    types.isLate = isLate;
  }

  /** @throws Error when the template cannot be synthesized or taken over */
  async #deploy(): Promise<void> {
    const { synthesize } = this.#options;
    const stack = await this.#options.stack;
    await stack.deploy(await synthesize());
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
      const checked = this.#types.require();
      // esbuild may fail first.
      checked.catch(() => {});
      try {
        const rebuilt = await this.#options.bundles.rebuild(async () => {
          this.#types.isLate = !(await checked);
          return isCurrent();
        });
        if (rebuilt) return rebuilt;
      } catch (error) {
        if (await isCurrent()) throw error;
      }
      await this.#watched.waitUntilReported();
    }
  }
}

/** The next invocations run the new code; earlier files stay while an instance has them. */
const replaceCode = (stack: LocalStack, rebuilt: readonly Rebuilt[]): string[] => {
  for (const { functionName, directory, earlier } of rebuilt) {
    const replaced = stack.replaceCode(functionName, directory);
    if (earlier) void replaced.then(() => rmSync(earlier, { recursive: true, force: true }));
  }
  const names = rebuilt.map(({ functionName }) => functionName);
  return names.length > 0 ? [`rebuilt ${names.join(', ')}`] : [];
};

/** The messages of esbuild with their lines of the source; otherwise the error. */
const explain = async (error: unknown): Promise<string> => {
  const { errors, message } = error as BuildFailure;
  if (!errors) return message;
  const color = process.stdout.isTTY === true;
  return (await formatMessages(errors, { kind: 'error', color })).join('').trimEnd();
};
