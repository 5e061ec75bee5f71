import { createInterface } from 'node:readline/promises';
import { AdminError, InterruptedError } from './admin-error.ts';

/**
 * Asks for confirmation of an action that cannot be undone.
 *
 * @param yes given on the command line, it is the response
 * @throws AdminError when the response is no, or the input is not a terminal
 * @throws InterruptedError at Ctrl-C
 */
export const confirm = async (yes: boolean | undefined, question: string): Promise<void> => {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new AdminError(`${question} Confirm with --yes: standard input is not a terminal.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const interruption = new AbortController();
  const { signal } = interruption;
  terminal.once('SIGINT', () => interruption.abort());
  const response = await terminal
    .question(`${question} [y/N] `, { signal })
    .catch(() => {
      if (signal.aborted) throw new InterruptedError('Interrupted. Nothing was done.');
      // Ctrl-D leaves the cursor behind the question.
      process.stderr.write('\n');
      return '';
    })
    .finally(() => terminal.close());
  if (!/^y(es)?$/i.test(response.trim())) throw new AdminError('Nothing was done.');
};
