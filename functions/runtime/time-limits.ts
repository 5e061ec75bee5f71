/** How often a client makes a call to AWS until it gives up. */
export const maxAttempts = 3;

/**
 * How long each of these attempts may take: when a dependency hangs, the function still responds
 * before it is killed.
 */
export const timeLimits = {
  connectionTimeout: 1000,
  requestTimeout: 2000,
  // Otherwise the SDK only logs a warning.
  throwOnRequestTimeout: true,
} as const;

/** The same for a call that carries a batch, for which no client waits. */
export const batchTimeLimits = { ...timeLimits, requestTimeout: 5000 } as const;
