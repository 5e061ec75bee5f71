import { exitCodeOf } from './interruption.ts';

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

/** A signal ended the command before it was done. */
export class InterruptedError extends AdminError {
  override readonly name = 'InterruptedError';
  override readonly exitCode: number;

  constructor(sentence: string, signal: NodeJS.Signals = 'SIGINT') {
    super(sentence);
    this.exitCode = exitCodeOf(signal);
  }
}
