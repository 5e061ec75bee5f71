import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../lock-file.ts';

/**
 * Takes a data directory for this run alone.
 *
 * @returns `announce`, which says where the run that holds the directory can be reached
 * @throws Error with a sentence when the directory cannot be used, or belongs to a run that goes on
 */
export const lockData = (directory: string): ((url: string) => void) => {
  const holder = join(directory, 'running.json');
  if (!lockDirectory(directory)) {
    throw new Error(
      `Another run uses the data in ${directory}: ${describe(holder)}. Stop it, or give another --data.`,
    );
  }
  const announce = (url?: string) =>
    writeFileSync(holder, JSON.stringify({ pid: process.pid, url }));
  announce();
  return announce;
};

const lockDirectory = (directory: string): boolean => {
  try {
    mkdirSync(directory, { recursive: true });
    return lockFile(join(directory, 'lock.sqlite'));
  } catch (error) {
    throw cannotUse(directory, error);
  }
};

const describe = (holder: string): string => {
  try {
    const { pid, url } = JSON.parse(readFileSync(holder, 'utf8'));
    return url === undefined ? `process ${pid}, which is starting` : `process ${pid} at ${url}`;
  } catch {
    return 'one that has just begun to start';
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
    `${directory} cannot be used as the data directory: ${reasons[code ?? ''] ?? message}.`,
  );
};
