import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { readStackFile, type StackFile, stackFilePath } from '../../bin/stack-file.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const script = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));

/** A run of `npm start` in a directory of its own, with its output in a pipe. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly output: () => string;
  /** Resolves with what its stack file says, or throws when the run ends before. */
  readonly welcomed: () => Promise<StackFile>;
}

/** Starts it, and ends it with the test. */
export const start = (args: readonly string[], env = childEnvironment()): Started => {
  const cwd = temporaryDirectory();
  const child = spawn(process.execPath, [script, ...args], { cwd, env, stdio: 'pipe' });
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
    return readStackFile(join(cwd, stackFilePath));
  };
  return { child, ended, output: () => output, welcomed };
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
