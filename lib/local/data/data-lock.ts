import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../lock-file.ts';

/**
 * Takes a data directory for this run alone.
 *
 * @returns `announce`, which says where the run that holds the directory can be reached
 * @throws Error with a sentence when the directory cannot be used, or belongs to a run that goes on
 */
export const lockData = (directory: string): ((url: string) => void) =>
  lockDirectory(directory, `the data in ${directory}`, 'give another --data');

/**
 * Takes a directory for this run alone, as `lockData` does.
 *
 * @param what the directory stands for, in the sentence about another run
 * @param advice what to do if the other run is to go on
 */
export const lockDirectory = (
  directory: string,
  what: string,
  advice: string,
): ((url: string) => void) => {
  const holder = join(directory, 'running.json');
  if (!lockIn(directory)) {
    const { name, stop } = describe(holder);
    throw new Error(`Another run uses ${what}: ${name}. Stop it with ${stop}, or ${advice}.`);
  }
  const announce = (url?: string) =>
    writeFileSync(holder, JSON.stringify({ pid: process.pid, url }));
  announce();
  return announce;
};

const lockIn = (directory: string): boolean => {
  try {
    mkdirSync(directory, { recursive: true });
    return lockFile(join(directory, 'lock.sqlite'));
  } catch (error) {
    throw cannotUse(directory, error);
  }
};

/** A run, and how to stop it. */
const describe = (holder: string): { readonly name: string; readonly stop: string } => {
  const stop = 'Ctrl-C in its terminal';
  try {
    const { pid, url } = JSON.parse(readFileSync(holder, 'utf8'));
    const where = url === undefined ? ', which is starting' : ` at ${url}`;
    return { name: `process ${pid}${where}`, stop: `${stop} or \`kill ${pid}\`` };
  } catch {
    return { name: 'one that has just begun to start', stop };
  }
};

const cannotUse = (directory: string, error: unknown): Error => {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    EEXIST: 'it is a file',
    ENOTDIR: 'a part of its path is a file',
    EACCES: 'access is denied',
  };
  return new Error(
    `${directory} cannot be used as a directory: ${reasons[code ?? ''] ?? message}.`,
  );
};
