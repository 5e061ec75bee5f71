/** The message of an AWS error may hold what was sent, such as an address; its name is enough. */
export const loggable = (error: unknown): Error | string =>
  error instanceof Error && !('$metadata' in error) ? error : (error as Error).name;
