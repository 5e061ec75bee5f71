/**
 * Runs one command, and ends it when the process that started this one goes away: the same as the
 * statements of `sh` in dynamodb.ts, for a system without `sh`.
 *
 * `node child-guard.ts FOLDER COMMAND ARGUMENT…`, with a pipe as standard input that is never
 * written to. The folder is removed at the end.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder = '', command = '', ...commandArguments] = process.argv.slice(2);

const child = spawn(command, commandArguments, { stdio: ['ignore', 'inherit', 'inherit'] });

const end = (code: number): void => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
};

child.on('error', () => end(127));
child.on('exit', (code) => end(code ?? 1));
process.stdin.on('end', () => child.kill()).resume();
