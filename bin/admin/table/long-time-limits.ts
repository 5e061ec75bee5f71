/**
 * For an operator's long reads and writes, which no request waits for: a page of a scan or a large
 * transaction may take its time. Given with a command, as its HTTP options.
 */
export const longTimeLimits = { requestTimeout: 30_000 } as const;
