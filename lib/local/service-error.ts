/** A fault of the sender, which AWS answers with status 400. `code` is the name of the error there. */
export class ServiceError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
  }
}
