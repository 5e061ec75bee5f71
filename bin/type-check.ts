import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDirectory } from '../lib/bundles/build-directory.ts';
import type { Log } from '../lib/local/local-engine.ts';

const root = join(import.meta.dirname, '..');
const isTTY = process.stdout.isTTY === true;

/** How long a save waits for tsc; after that it runs unchecked. */
const limitMs = 2000;

/**
 * Checks the types of some folders of the project. tsc keeps what it has found, so that a second
 * check of the same folders takes half of the first one's time.
 */
export class TypeCheck {
  readonly #directory = buildDirectory();
  readonly #folders = new Set(['functions']);
  readonly #print: Log;
  #tsc: ChildProcess | undefined;
  /** Of the check that has begun; resolves with undefined if it was stopped. */
  #report: Promise<string | undefined> | undefined;
  #printed = '';
  /** Whether code runs that `require` could not wait for. */
  isLate = false;

  constructor(print: Log) {
    this.#print = print;
  }

  /**
   * Checks include lib until its types are correct: this takes much longer than functions alone.
   */
  addLib(): void {
    this.#folders.add('lib');
  }

  /**
   * Checks the files as they are now.
   *
   * @returns false if tsc takes too long
   * @throws Error with tsc's report when a type is wrong
   */
  async require(): Promise<boolean> {
    this.isLate = false;
    this.#report = this.#run();
    const report = await Promise.race([this.#report, sleep(limitMs)]);
    if (report) {
      this.#printed = report;
      throw new Error(report);
    }
    return report !== undefined;
  }

  /** Prints the report of the current check, or of a new one, unless it is printed already. */
  async finish(): Promise<void> {
    this.#report ??= this.#run();
    const report = await this.#report;
    if (report === undefined) return;
    const title = this.isLate ? 'A type is wrong in what runs now:\n' : '';
    if (this.isLate || report !== this.#printed) {
      this.#print(report ? title + report : 'No type errors.', report ? 'failed' : 'done');
    }
    if (report === '') this.#folders.delete('lib');
    this.#printed = report;
    this.isLate = false;
  }

  /** Ends the check that runs at once; SIGTERM lets tsc finish and write its files. */
  stop(): void {
    this.#tsc?.kill('SIGKILL');
    this.#report = undefined;
  }

  /** Resolves with tsc's report, empty if there are no errors; undefined if it was stopped. */
  async #run(): Promise<string | undefined> {
    this.stop();
    const folders = [...this.#folders];
    const project = join(this.#directory, folders.join('-'));
    mkdirSync(project, { recursive: true });
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: { incremental: true, tsBuildInfoFile: join(project, 'tsbuildinfo') },
        include: folders.map((folder) => join(root, folder)),
      }),
    );
    const tsc = spawn(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '-p', project, '--pretty', String(isTTY)],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.#tsc = tsc;
    let report = '';
    tsc.stdout.setEncoding('utf8').on('data', (text: string) => {
      report += text;
    });
    const [, signal] = await once(tsc, 'close');
    if (this.#tsc === tsc) this.#tsc = undefined;
    return signal === null ? report.trim() : undefined;
  }
}
