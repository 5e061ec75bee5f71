import { relative } from 'node:path';

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

  override toString(): string {
    return super.toString() + thrownAt(this.trace);
  }
}

/**
 * Where an error was thrown, or the call that led there from outside of packages and Node.js:
 * ` at functions/create-sandbox.ts:14:9`. Names the sources where the bundle has source maps.
 */
export const thrownAt = (trace: readonly string[]): string => {
  const places = trace.map(
    (line) => /^ +at (?:.*?[ (])?(?:file:\/\/)?((?:[A-Z]:|\/)[^()]+:\d+)\)?$/.exec(line)?.[1],
  );
  const own = places.find((place) => place !== undefined && !place.includes('/node_modules/'));
  const inside = relative(process.cwd(), own ?? '');
  return own === undefined ? '' : ` at ${inside.startsWith('..') ? own : inside}`;
};
