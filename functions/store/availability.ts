/** Errors of the network, by code, after which nothing was sent. */
export const noConnection: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Errors of the network and of the SDK's own time limits, by name or code. */
const unreachable = new Set([...noConnection, 'TimeoutError', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** Errors with which AWS rejects a request that it would accept later. */
const throttled =
  /^(Throttling(Error|Exception)?|ProvisionedThroughputExceeded(Exception)?|RequestLimitExceeded|ReplicatedWriteConflictException)$/;

interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly $fault?: string;
  readonly CancellationReasons?: readonly { Code?: string }[];
}

/** Whether a dependency is unavailable now, as opposed to rejecting the request. */
export const isUnavailable = (error: unknown): boolean => {
  const { name = '', code = '', $fault, CancellationReasons = [] } = (error ?? {}) as SdkError;
  return (
    $fault === 'server' ||
    unreachable.has(name) ||
    unreachable.has(code) ||
    throttled.test(name) ||
    CancellationReasons.some(({ Code = '' }) => throttled.test(Code))
  );
};
