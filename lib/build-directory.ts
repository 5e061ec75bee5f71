import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const made: string[] = [];
process.once('exit', () => {
  made.forEach(remove);
});

/** Removes a directory. If a process still writes to it, a later run removes it. */
const remove = (directory: string): void => {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {}
};

/**
 * A directory for as long as this process runs, so that two runs at once do not meet. It lies in
 * the project: source maps name sources relative to their bundle, and a bundle must not depend on
 * where the project lies.
 */
export const buildDirectory = (): string => {
  const parent = join(import.meta.dirname, '../.build');
  mkdirSync(parent, { recursive: true });
  for (const left of readdirSync(parent).filter((name) => !isRunning(Number(name.split('-')[0])))) {
    remove(join(parent, left));
  }
  const directory = mkdtempSync(join(parent, `${process.pid}-`));
  made.push(directory);
  return directory;
};

/** Whether a process still needs its directory; one that was killed could not remove it. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
