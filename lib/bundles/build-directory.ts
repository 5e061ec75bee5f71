import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from './lock-file.ts';

const parent = join(import.meta.dirname, '../../.build');

/** Begins the names of what this process has there, among them a file that it locks. */
let run: string | undefined;

/**
 * A directory for as long as this process runs, so that two runs at once do not meet. It lies in
 * the project: source maps name sources relative to their bundle, and a bundle must not depend on
 * where the project lies.
 *
 * @throws Error with a sentence when it cannot be written
 */
export const buildDirectory = (): string => {
  try {
    run ??= startRun();
    return mkdtempSync(join(parent, `${run}-`));
  } catch (error) {
    throw new Error(`${parent} cannot be written: ${(error as Error).message}.`);
  }
};

const startRun = (): string => {
  mkdirSync(parent, { recursive: true });
  // A run that is starting has no directory until it holds its lock.
  const directories = readdirSync(parent).filter((entry) => entry.includes('-'));
  for (const other of new Set(directories.map(runOf))) if (hasEnded(other)) remove(other);
  const name = randomBytes(4).toString('hex');
  lockFile(lockOf(name));
  process.once('exit', () => remove(name));
  return name;
};

const runOf = (entry: string) => entry.split(/[-.]/)[0] ?? '';

const lockOf = (name: string) => join(parent, `${name}.lock`);

/** A process that was killed could not remove what it had. */
const hasEnded = (name: string): boolean => {
  try {
    return lockFile(lockOf(name), 0);
  } catch {
    // Another user's.
    return false;
  }
};

/** Removes what a run had. If a process still writes to it, a later run removes it. */
const remove = (name: string): void => {
  for (const entry of readdirSync(parent).filter((each) => runOf(each) === name)) {
    try {
      rmSync(join(parent, entry), { recursive: true, force: true });
    } catch {}
  }
};
