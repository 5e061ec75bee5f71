/** A fault that SQS would answer with status 400. `code` is the name of the JSON protocol's error. */
export class QueueError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'QueueError';
    this.code = code;
  }
}
