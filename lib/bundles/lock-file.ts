import { DatabaseSync } from 'node:sqlite';

/** Keeps this process's locks: a connection that is garbage-collected releases its lock. */
const held: DatabaseSync[] = [];

/**
 * Locks a file for this process, and creates it if it is missing. The lock is one of the operating
 * system's (SQLite's), which ends with its process: a killed run leaves none behind, even if its
 * pid is in use again. Containers that share the file share the lock.
 *
 * @param waitMs two processes that lock at the same moment may refuse each other: within this time
 * they try again
 * @returns false when the file is locked already
 * @throws Error of SQLite when the file cannot be used
 */
export const lockFile = (path: string, waitMs = 250): boolean => {
  const lock = new DatabaseSync(path, { timeout: waitMs });
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

/** SQLITE_BUSY, from "Result and Error Codes" in SQLite's documentation. */
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5;
