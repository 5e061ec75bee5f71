import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Keeps this process's locks: a connection that is garbage-collected releases its lock. */
const held: DatabaseSync[] = [];

/**
 * Locks a file for this process, and creates it if it is missing. The lock is one of the operating
 * system's (SQLite's), which ends with its process: a killed run leaves none behind, even if its
 * pid is in use again.
 *
 * @returns false when the file is locked already
 * @throws Error of SQLite when the file cannot be used
 */
export const lockFile = (path: string): boolean => {
  // Two processes that lock at the same moment may refuse each other: within the timeout they try
  // again.
  const lock = new DatabaseSync(path, { timeout: 250 });
  try {
    // A transaction that stays open holds the lock.
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isBusy(error)) return false;
    throw error;
  }
  held.push(lock);
  return true;
};

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
    `${directory} cannot be used as a directory: ${reasons[code ?? ''] ?? message}.`,
  );
};
