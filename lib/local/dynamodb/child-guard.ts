/**
 * Runs one command in a temporary folder, and ends it when the process that started this one goes
 * away, however it goes: a process that is killed cannot end its children, but the pipe that it
 * held open closes.
 *
 * `node child-guard.ts COMMAND ARGUMENT…`, with a pipe as standard input that is never written to.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [command = '', ...commandArguments] = process.argv.slice(2);

const makeFolder = (): string => {
  try {
    return mkdtempSync(join(tmpdir(), 'child-guard-'));
  } catch (error) {
    const { message } = error as Error;
    console.error(`${tmpdir()} cannot be used for temporary files; set TMPDIR. ${message}`);
    process.exit(1);
  }
};

const folder = makeFolder();

const child = spawn(command, commandArguments, {
  cwd: folder,
  stdio: ['ignore', 'inherit', 'inherit'],
});

child.on('error', (error) => {
  console.error(error.message);
  end(1);
});
child.on('exit', (code) => end(code ?? 1));

process.stdin.on('end', () => child.kill()).resume();

const end = (code: number): void => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
};
