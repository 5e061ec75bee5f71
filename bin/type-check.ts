import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { buildDirectory } from '../lib/build-directory.ts';

const root = join(import.meta.dirname, '..');

/**
 * Checks the types of some rooms of the project, at the lowest priority. tsc keeps what it has found, so
 * that a second check of the same rooms takes a fraction of the first one's time.
 */
export class TypeCheck {
  readonly #directory = buildDirectory();
  #running: ChildProcess | undefined;

  /** Resolves with tsc's report, empty if there is nothing to report; undefined if `stop` came before. */
  async run(rooms: readonly string[]): Promise<string | undefined> {
    this.stop();
    const project = join(this.#directory, rooms.join('-'));
    mkdirSync(project, { recursive: true });
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: { incremental: true, tsBuildInfoFile: join(project, 'tsbuildinfo') },
        include: rooms.map((room) => join(root, room)),
      }),
    );
    const tsc = spawn(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '-p', project, '--pretty', String(isTTY)],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.#running = tsc;
    if (tsc.pid !== undefined) setPriority(tsc.pid, constants.priority.PRIORITY_LOW);
    let report = '';
    tsc.stdout.setEncoding('utf8').on('data', (text: string) => {
      report += text;
    });
    const [, signal] = await once(tsc, 'close');
    if (this.#running === tsc) this.#running = undefined;
    return signal === null ? report.trim() : undefined;
  }

  /** Ends the check that runs at once; SIGTERM lets tsc finish and write its files. */
  stop(): void {
    this.#running?.kill('SIGKILL');
  }
}

const isTTY = process.stdout.isTTY === true;
