import { CommanderError } from 'commander';
import { Problem, problems } from '../../functions/domain/problem.ts';
import { isUnavailable } from '../../functions/store/availability.ts';
import { Conflict } from '../../functions/store/conflict.ts';
import { OutcomeUnknown } from '../../functions/store/write-tries.ts';
import { AdminError } from './admin-error.ts';
import { plainLines, printedJson } from './print.ts';

/**
 * Prints why a command failed: a sentence, or with `--json` an object.
 *
 * @returns the exit code
 */
export const reportError = (error: unknown, json = false): number => {
  const commanders = error instanceof CommanderError;
  if (commanders && error.exitCode === 0) return 0;
  const exitCode = commanders ? 2 : error instanceof AdminError ? error.exitCode : 1;
  if (json) console.error(printedJson({ error: sentence(error), exit_code: exitCode }));
  // Commander prints its own.
  else if (!commanders) console.error(`error: ${plainLines(sentence(error))}`);
  return exitCode;
};

/** An error in words for an operator. An unexpected one keeps its stack trace. */
export const sentence = (error: unknown): string => {
  if (error instanceof AdminError) return error.message;
  if (error instanceof CommanderError) {
    return error.code === 'commander.help'
      ? 'Name a command; --help lists them.'
      : error.message.replace(/^error: /, '');
  }
  if (error instanceof OutcomeUnknown || isUnavailable(error)) {
    return `The service cannot be reached (${nameOf(error)}). If it is the local run, is \`npm start\` still running? A write whose response was lost may have taken effect.`;
  }
  if (error instanceof Problem) return `${problems[error.code].title}. ${error.message}`;
  if (error instanceof Conflict)
    return 'Other writers kept changing the item. Run the command again.';
  if (isFromAws(error)) return `AWS refused the request: ${error.name}: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

/** The SDK marks what a service responded, and its own failure to find credentials. */
const isFromAws = (error: unknown): error is Error =>
  error instanceof Error && ('$fault' in error || error.name === 'CredentialsProviderError');

const nameOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).name;
