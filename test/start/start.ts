import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { readStackFile, type StackFile } from '../../bin/local-run/stack-file.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { copyProject } from '../support/copy-project.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The project. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A run of `npm start` with its output in a pipe. */
export interface Started {
  readonly child: ChildProcess;
  /** Where it runs. */
  readonly directory: string;
  readonly ended: Promise<number | null>;
  readonly output: () => string;
  /** Resolves with what its stack file says, or throws when the run ends before. */
  readonly welcomed: () => Promise<StackFile>;
}

/**
 * Starts it in a directory of its own or a given one, and ends it with the test. `project` is where its
 * code is.
 */
export const start = (
  args: readonly string[],
  env = childEnvironment(),
  project: string = root,
  directory: string = temporaryDirectory(),
): Started => {
  const child = spawn(process.execPath, [join(project, 'bin/local.ts'), ...args], {
    cwd: directory,
    env,
    stdio: 'pipe',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const welcomed = async () => {
    while (!output.includes('Ctrl-C stops everything')) {
      if (child.exitCode !== null) throw new Error(output);
      await sleep(50);
    }
    const [, path = ''] = /All of this is in (\S+) too/.exec(output) ?? [];
    return readStackFile(join(directory, path));
  };
  return { child, directory, ended, output: () => output, welcomed };
};

/** A copy of the project for a test that changes its files. */
export const copyOfProject = (): string => {
  const copy = join(temporaryDirectory(), 'project');
  copyProject(copy);
  return copy;
};

/** The processes that a process has started. */
export const childrenOf = (pid: number | undefined): number[] =>
  execFileSync('ps', ['-o', 'pid=,ppid=', '-e'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child);

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
