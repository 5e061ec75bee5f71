import { readFileSync } from 'node:fs';
import { AdminError } from './admin-error.ts';

/**
 * The text of a file that an option names.
 *
 * @throws AdminError when the file cannot be read
 */
export const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AdminError(`${file} cannot be read: ${(error as Error).message}.`);
  }
};
