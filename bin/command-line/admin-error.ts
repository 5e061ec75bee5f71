/** An error that an operator can correct; printed as a sentence, without a stack trace. */
export class AdminError extends Error {
  override readonly name: string = 'AdminError';
  readonly exitCode: number = 1;
}

/** @throws AdminError with the sentence when what was looked for is not there */
export const required = <T>(found: T | undefined, sentence: string): T => {
  if (found === undefined) throw new AdminError(sentence);
  return found;
};

/** The command line is wrong in a way that commander does not recognise. */
export class UsageError extends AdminError {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;
}

/** Ctrl-C ended the command before it was done; the exit code is that of shells. */
export class InterruptedError extends AdminError {
  override readonly name = 'InterruptedError';
  override readonly exitCode = 130;
}
