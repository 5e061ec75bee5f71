import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStackFile } from '../../bin/stack-file/stack-file.ts';
import { stackFilePath } from '../../bin/stack-file/stack-file-path.ts';
import { childEnvironment } from './child-environment.ts';

/** The project. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A run of `npm start` with its output in a pipe. */
export type LocalRun = ReturnType<typeof startLocalRun>;

export interface LocalRunOptions {
  readonly args?: readonly string[];
  /** Starts it as without `--port`: on its default port, or on a free one. */
  readonly isPortDefault?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** Where its code is. */
  readonly project?: string;
  /** Where it runs; a directory of its own, which goes with it, unless given. */
  readonly directory?: string;
}

/** Starts the service, on a free port unless the arguments name one. */
export const startLocalRun = ({
  args = [],
  isPortDefault = false,
  env = childEnvironment(),
  project = root,
  directory: given,
}: LocalRunOptions = {}) => {
  const directory = given ?? mkdtempSync(join(tmpdir(), 'local-run-'));
  const port = isPortDefault || args.includes('--port') ? [] : ['--port', '0'];
  const command = [join(project, 'bin/local.ts'), ...port, ...args];
  const child = spawn(process.execPath, command, { cwd: directory, env });
  let output = '';
  const ended = once(child, 'close').then(([code]) => {
    if (given === undefined) rmSync(directory, { recursive: true, force: true });
    return code as number | null;
  });
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ready after')) ready.resolve();
    });
  }
  // Not every caller waits for it.
  ready.promise.catch(() => {});
  void ended.then(() => ready.reject(new Error(`npm start has ended by itself: ${output}`)));
  return {
    child,
    ended,
    output: () => output,
    /** @throws when the run ends before it is ready. @returns the content of its stack file */
    welcomed: async (stackFile = stackFilePath) => {
      await ready.promise;
      return readStackFile(join(directory, stackFile));
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
};

/** The processes that a process has started. */
export const childrenOf = (pid: number | undefined): number[] =>
  execFileSync('ps', ['-o', 'pid=,ppid=', '-e'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child);
