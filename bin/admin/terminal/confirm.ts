import { createInterface } from 'node:readline/promises';
import { AdminError } from './admin-error.ts';

/**
 * Asks for confirmation of an action that cannot be undone.
 *
 * @param yes given on the command line, it is the answer
 * @throws AdminError when the answer is no, or the input is not a terminal
 */
export const confirm = async (yes: boolean | undefined, question: string): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new AdminError(`${question} Confirm with --yes: standard input is not a terminal.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new AdminError('Nothing was done.');
};
