/** Errors of the network and of the SDK's own time limits, by name or code. */
const unreachable = new Set([
  'TimeoutError',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Reasons for which AWS turns a request away that it would accept later. */
const throttled =
  /^(Throttling(Error|Exception)?|ProvisionedThroughputExceeded(Exception)?|RequestLimitExceeded|ReplicatedWriteConflictException)$/;

interface SdkError {
  readonly name?: string;
  readonly code?: string;
  readonly $fault?: string;
  readonly CancellationReasons?: readonly { Code?: string }[];
}

/** Whether a dependency could not answer now, rather than did not like what it was asked. */
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
