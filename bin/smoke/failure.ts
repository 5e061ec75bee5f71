import { AdminError } from '../admin/admin-error.ts';

/** The service does not do what a check proves; the message is a sentence for an operator. */
export class Failure extends AdminError {
  override readonly name = 'Failure';
}

/** A check cannot prove anything here; the message says why. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}
