import { CommanderError } from 'commander';
import { AdminError } from './admin-error.ts';
import { sentence } from './sentence.ts';

/**
 * Prints why a command failed: a sentence, or with `--json` an object.
 *
 * @returns the exit code
 */
export const reportError = (error: unknown, json: boolean): number => {
  const commanders = error instanceof CommanderError;
  if (commanders && error.exitCode === 0) return 0;
  const exitCode = commanders ? 2 : error instanceof AdminError ? error.exitCode : 1;
  if (json) console.error(JSON.stringify({ error: sentence(error), exit_code: exitCode }));
  // Commander prints its own.
  else if (!commanders) console.error(`error: ${sentence(error)}`);
  return exitCode;
};
