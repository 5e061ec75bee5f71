/** An error that an operator can correct; printed as a sentence, without a stack trace. */
export class AdminError extends Error {
  override readonly name: string = 'AdminError';
  readonly exitCode: number = 1;
}

/** The command line is wrong in a way that commander does not recognise. */
export class UsageError extends AdminError {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;
}
