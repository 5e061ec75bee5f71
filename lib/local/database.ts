import { DatabaseSync } from 'node:sqlite';

/**
 * A SQLite database of the engine's own.
 *
 * @param path a file, or `:memory:`
 * @param schema statements that make what is not there yet
 */
export const openDatabase = (path: string, schema: string): DatabaseSync => {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`);
  return database;
};
