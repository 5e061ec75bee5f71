/** What an operator can mend; printed as a sentence, without a stack trace. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
