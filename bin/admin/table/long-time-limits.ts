/**
 * Time limits for an operator's long reads and writes, such as a page of a scan or a large
 * transaction, for which no request waits. They are given with a command, as its HTTP options.
 */
export const longTimeLimits = { requestTimeout: 30_000 } as const;
