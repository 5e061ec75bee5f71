/** How often a client makes a call to AWS until it gives up. */
export const maxAttempts = 3;

/**
 * How long each of these attempts may take. A dependency that
 * hangs is then given up on before the function is killed, and the caller gets a 503 instead of API
 * Gateway's error for a dead function.
 */
export const timeLimits = {
  connectionTimeout: 1000,
  requestTimeout: 2000,
  // Otherwise the SDK only logs a warning.
  throwOnRequestTimeout: true,
} as const;

/** The same for a call that carries a batch, for which no client waits. */
export const batchTimeLimits = { ...timeLimits, requestTimeout: 5000 } as const;
