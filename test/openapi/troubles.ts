/** The problems that only a firewall, too many requests or a fault of the service causes. */
export const troubles: readonly string[] = [
  'request_blocked',
  'rate_limited',
  'internal_error',
  'unavailable',
  'outcome_unknown',
];
