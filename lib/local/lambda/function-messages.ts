// What passes between an instance and its thread. Events and results cross as JSON text, so that a
// Date or an undefined member is lost exactly where Lambda loses it.

/** What the thread is started with. */
export interface RuntimeData {
  readonly codeDirectory: string;
  /** `<file without extension>.<export>`, as in the template. */
  readonly handler: string;
  /** By how much the function's clock is ahead of this machine's. */
  readonly clockAhead?: BigInt64Array;
  readonly context: {
    readonly functionName: string;
    readonly functionVersion: string;
    readonly invokedFunctionArn: string;
    readonly memoryLimitInMB: string;
    readonly logGroupName: string;
    readonly logStreamName: string;
  };
}

/** One event on its way into the thread. */
export interface Invocation {
  readonly requestId: string;
  /** From when the thread takes the event. */
  readonly timeoutMs: number;
  readonly event: string;
}

/** What an instance says: once that it has loaded, then how each event ends. */
export type InstanceMessage =
  | 'loaded'
  | 'timed out'
  | { readonly result: string }
  | { readonly errorType: string; readonly errorMessage: string; readonly trace: string[] };
