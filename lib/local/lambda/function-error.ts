/**
 * What a caller of a function gets when the function gave no result: the two members of Lambda's
 * error payload, and the stack if the handler threw.
 */
export class FunctionError extends Error {
  /** `Sandbox.Timedout`, `Runtime.ExitError`, `Runtime.OutOfMemory`, or the thrown error's name. */
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace: readonly string[];

  constructor(errorType: string, errorMessage: string, trace: readonly string[] = []) {
    super(`${errorType}: ${errorMessage}`);
    this.name = 'FunctionError';
    this.errorType = errorType;
    this.errorMessage = errorMessage;
    this.trace = trace;
  }
}
