import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readStackFile, type StackFile, stackFilePath } from '../../bin/local-run/stack-file.ts';
import { childEnvironment } from '../support/child-environment.ts';

export interface LocalRun {
  /** What its stack file says. */
  readonly file: StackFile;
  readonly stop: () => Promise<void>;
}

/** What `npm start` runs, with its files in a folder of its own. */
export const startLocalRun = async (): Promise<LocalRun> => {
  const directory = mkdtempSync(join(tmpdir(), 'local-run-'));
  const command = join(import.meta.dirname, '../../bin/local.ts');
  const child = spawn(process.execPath, [command, '--port', '0'], {
    cwd: directory,
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('Ctrl-C stops everything')) break;
  }
  // Who writes into a pipe that nobody empties stands still when it is full.
  child.stdout.resume();
  return {
    file: readStackFile(join(directory, stackFilePath)),
    stop: async () => {
      child.kill();
      await exit;
      rmSync(directory, { recursive: true });
    },
  };
};
