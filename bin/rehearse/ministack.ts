import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import getPort from 'get-port';
import { AdminError } from '../command-line/admin-error.ts';

/** The version that the rehearsal was tried with. */
const version = '1.5.33';
const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/**
 * Installs MiniStack, an AWS that runs on this machine, into a virtual environment of its own.
 *
 * @returns the path of its executable
 */
export const installMinistack = async (): Promise<string> => {
  const bin = join(root, `.cache/ministack-${version}/bin`);
  await run('python3', ['-m', 'venv', join(bin, '..')]);
  const quietly = ['--quiet', '--disable-pip-version-check'];
  await run(join(bin, 'pip'), ['install', ...quietly, `ministack==${version}`]);
  return join(bin, 'ministack');
};

/** A MiniStack that runs. */
export interface Ministack {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts it on a free port of 127.0.0.1, with nothing in it.
 *
 * @param logFile gets what it prints
 */
export const startMinistack = async (executable: string, logFile: string): Promise<Ministack> => {
  const port = await getPort({ host: '127.0.0.1' });
  const log = openSync(logFile, 'w');
  const child = spawn(executable, {
    env: {
      // It runs the functions with the `node` that it finds, which is to be Lambda's version.
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      HOME: process.env.HOME,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
    },
    stdio: ['ignore', log, log],
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await responds(url))) {
    if (child.exitCode !== null) {
      throw new AdminError(`MiniStack does not start: ${logFile} has what it printed.`);
    }
    await sleep(300);
  }
  return { url, stop: () => stop(child) };
};

const responds = (url: string): Promise<boolean> =>
  fetch(`${url}/_ministack/health`).then(
    ({ ok }) => ok,
    () => false,
  );

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
};
