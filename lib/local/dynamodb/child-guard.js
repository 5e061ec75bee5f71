/**
 * Runs one command, and ends it when the process that started this one goes away, however it goes:
 * a process that is killed cannot end its children, but the pipe that it held open closes.
 *
 * `node child-guard.js FOLDER COMMAND ARGUMENT…`, with a pipe as standard input that is never
 * written to. The folder, in which the command runs, is removed at the end. It is JavaScript,
 * because Node would take 20 MB more to remove types.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const [folder = '', command = '', ...commandArguments] = process.argv.slice(2);

const child = spawn(command, commandArguments, {
  cwd: folder,
  stdio: ['ignore', 'inherit', 'inherit'],
});

process.stdin.on('end', () => child.kill()).resume();
child.on('error', ({ message }) => console.error(message));
child.on('close', (code) => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
});
