import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What holds the locks of this process: a connection that is garbage-collected lets go of its own. */
const held: DatabaseSync[] = [];

/**
 * Takes a data directory for this run alone. The lock is one of the operating system's on a file
 * (SQLite's), which ends with its process: a killed run leaves none behind, whoever has its pid now.
 *
 * @returns `announce`, which says where the run that holds the directory can be reached
 * @throws Error with a sentence when the directory cannot be used, or belongs to a run that goes on
 */
export const lockData = (directory: string): ((url: string) => void) => {
  const holder = join(directory, 'running.json');
  const lock = open(directory);
  try {
    // A transaction that never ends keeps everyone else out.
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw cannotUse(directory, error);
    throw new Error(
      `Another run uses the data in ${directory}: ${describe(holder)}. Stop it, or give another --data.`,
    );
  }
  held.push(lock);
  const announce = (url?: string) =>
    writeFileSync(holder, JSON.stringify({ pid: process.pid, url }));
  announce();
  return announce;
};

const open = (directory: string): DatabaseSync => {
  try {
    mkdirSync(directory, { recursive: true });
    return new DatabaseSync(join(directory, 'lock.sqlite'));
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

/** SQLITE_BUSY, from "Result and Error Codes" in SQLite's documentation. */
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5;

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
