/**
 * An error as it may be logged. The message of an AWS error, or of one that caused another, may
 * hold what was sent, such as an address: only its name is kept.
 */
export const loggable = (error: unknown): Error | { readonly name: string } => {
  const { name, cause } = error as Error;
  if (!(error instanceof Error) || '$metadata' in error) return { name };
  if (cause !== undefined) error.cause = loggable(cause);
  return error;
};
