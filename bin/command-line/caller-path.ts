import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';

/**
 * Reads an argument that is a path: relative to where the caller stands, which npm names, because
 * it runs commands in the project's folder.
 */
export const callerPath = (text: string): string => {
  if (text !== '') return resolve(process.env.INIT_CWD ?? '', text);
  throw new InvalidArgumentError('It must not be empty.');
};
