/**
 * An error as it may be logged. The message of an AWS error may hold what was sent, such as an
 * address; its name is enough, where it is the cause of another one too.
 */
export const loggable = (error: unknown): Error | { readonly name: string } => {
  const { name, cause } = error as Error;
  if (!(error instanceof Error) || '$metadata' in error) return { name };
  if (cause !== undefined) error.cause = loggable(cause);
  return error;
};
