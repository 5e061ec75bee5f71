import { DatabaseSync } from 'node:sqlite';
import { readDataFile } from './data-file.ts';

/**
 * A SQLite database of the engine's own.
 *
 * @param path a file, or `:memory:`
 * @param schema statements that make what is not there yet
 * @throws Error with the path and advice when it cannot be read
 */
export const openDatabase = (path: string, schema: string): DatabaseSync =>
  readDataFile(path, () => {
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`);
    return database;
  });
