import type * as z from 'zod/mini';

/**
 * Every error that this service returns, by its stable code (RFC 9457 problem details).
 * `retryAfterS` becomes the Retry-After header, which says that this request had no effect and may
 * be repeated by anybody as it is, with its key. So `outcome_unknown` has none, and is not a 503:
 * OkHttp, Apache HttpClient 5 and urllib3 retry a 503 with that header, or any 503. 504 promises
 * nothing (RFC 9110, section 15.6.5).
 */
export const problems = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  conflicting_parameters: { status: 400, title: 'These parameters cannot be combined' },
  invalid_cursor: { status: 400, title: 'The cursor is not valid' },
  resource_missing: { status: 400, title: 'A sandbox that a parameter names does not exist' },
  invalid_idempotency_key: { status: 400, title: 'The Idempotency-Key is not valid' },
  unauthenticated: { status: 401, title: 'The access token is missing or not valid' },
  insufficient_scope: { status: 403, title: 'The access token lacks a scope' },
  not_a_manager: { status: 403, title: 'The approver is not a manager of this account' },
  live_workspace_required: { status: 403, title: 'Only a live workspace can own sandboxes' },
  request_blocked: { status: 403, title: 'The request was blocked' },
  payment_request_not_found: { status: 404, title: 'No such payment request' },
  offer_not_found: { status: 404, title: 'No such offer' },
  route_not_found: { status: 404, title: 'No such route' },
  method_not_allowed: { status: 405, title: 'This path does not support this method' },
  offer_not_sent: { status: 409, title: 'Only a sent offer can be sent again' },
  idempotency_key_in_use: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still running',
    retryAfterS: 1,
  },
  response_too_large: { status: 409, title: 'The response is too large to be saved for a retry' },
  version_mismatch: { status: 412, title: 'The record has another version' },
  body_too_large: { status: 413, title: 'The body is larger than 64 KiB' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  idempotency_key_reused: {
    status: 422,
    title: 'This Idempotency-Key was used for a different request',
  },
  rate_limited: { status: 429, title: 'Too many requests', retryAfterS: 1 },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  unavailable: {
    status: 503,
    title: 'The service cannot respond right now; try again',
    retryAfterS: 1,
  },
  outcome_unknown: { status: 504, title: 'The outcome of the request is unknown' },
} as const satisfies Record<string, ProblemDefinition>;

/** The status and title that every problem with one code shares. */
export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly retryAfterS?: number;
}

export type ProblemCode = keyof typeof problems;

/** The codes of single faults that clients read. */
export const faultCodes = [
  'conflicting_parameters',
  'invalid_characters',
  'invalid_cursor',
  'invalid_format',
  'invalid_idempotency_key',
  'invalid_type',
  'invisible',
  'malformed_json',
  'repeated',
  'required',
  'resource_missing',
  'too_long',
  'too_short',
  'unknown',
] as const;

/** The codes that only operators read, of the lines that they import. */
type ImportFaultCode =
  | 'ends_before_start'
  | 'not_sent'
  | 'one_record'
  | 'unstorable'
  | 'year'
  | Exclude<z.core.$ZodIssue['code'], 'custom' | 'unrecognized_keys'>;

export type FaultCode = (typeof faultCodes)[number] | ImportFaultCode;

/** One error in a request, and where it is: a JSON pointer (RFC 6901) or a name. */
export type Fault = ({ pointer: string } | { parameter: string } | { header: string }) & FaultText;

/** What is wrong: for programs and for people. */
export interface FaultText {
  readonly code: FaultCode;
  readonly detail: string;
}

/** What a schema's refinement gives to `faultsOf`, which finds the code in it. */
export const faultParams = (code: FaultCode) => ({ code });

/** What some problems have besides (RFC 9457, section 3.2). */
interface Extension {
  /** With status 400: the first faults of the request. */
  readonly errors?: readonly Fault[];
  /** With status 412: the version of the record, if one names what an approval would approve. */
  readonly version?: number | undefined;
}

/** Thrown anywhere below an endpoint; becomes the problem-details response of its code. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly extension: Extension;

  constructor(code: ProblemCode, detail: string, extension: Extension = {}) {
    super(detail);
    this.code = code;
    this.extension = extension;
  }
}

/** What to do when the caller's workspace has no record with an id. */
export const unknownIdAdvice =
  'Check the id, and that the token belongs to its workspace, or wait until its record has been imported.';

/** The members of a problem details object (RFC 9457 section 3), in the order they are sent. */
export const problemDetails = (
  code: ProblemCode,
  detail: string,
  requestId: string,
  extension: Extension = {},
) => ({
  type: `urn:workforce-payments:problem:${code}`,
  title: problems[code].title,
  status: problems[code].status,
  detail,
  code,
  request_id: requestId,
  ...extension,
});

/** `Retry-After` where waiting helps, in seconds. */
export const problemHeaders = (code: ProblemCode): Record<string, string> => {
  const { retryAfterS }: ProblemDefinition = problems[code];
  return {
    'Content-Type': 'application/problem+json',
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
  };
};
