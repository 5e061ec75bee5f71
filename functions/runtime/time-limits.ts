/**
 * How long one call to AWS may take, of the three that a client makes of a request. A dependency that
 * hangs is then given up on before the function is killed, and the caller gets a 503 instead of API
 * Gateway's error for a dead function.
 */
export const timeLimits = {
  connectionTimeout: 1000,
  requestTimeout: 2000,
  // Otherwise the SDK only logs a warning.
  throwOnRequestTimeout: true,
} as const;
