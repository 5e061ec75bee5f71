/** The message of an AWS error may hold what was sent, such as an address; its name is enough. */
export const loggable = (error: unknown): Error | { readonly name: string } => {
  const { name } = error as Error;
  return error instanceof Error && !('$metadata' in error) ? error : { name };
};
