import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { lockFile } from '../../lib/bundles/lock-file.ts';

/**
 * Takes the stack file for this run alone, until its process ends.
 *
 * @throws Error with a sentence when it cannot be written, or names the run that has it
 */
export const lockStackFile = (path: string): void => {
  const lock = `${path}.lock`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (!lockFile(lock)) {
      const advice = 'Stop it with Ctrl-C in its terminal, or give a --stack-file of your own.';
      throw new Error(`it belongs to another run, ${holderOf(path)}. ${advice}`);
    }
    process.once('exit', () => {
      for (const end of ['', '-journal']) rmSync(lock + end, { force: true });
    });
    // That of a run that was killed.
    rmSync(path, { force: true });
  } catch (error) {
    throw new Error(`The stack file ${path} cannot be used: ${(error as Error).message}`);
  }
};

const holderOf = (path: string): string => {
  try {
    const { pid, url } = JSON.parse(readFileSync(path, 'utf8'));
    return `process ${pid} at ${url}`;
  } catch {
    return 'which is starting';
  }
};
