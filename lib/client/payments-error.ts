import type { components } from './openapi.d.ts';

/** The stable code of a problem. */
export type ProblemCode = components['schemas']['Problem']['code'];
/** One fault of a request, and where it is. */
export type Fault = NonNullable<components['schemas']['Problem']['errors']>[number];
/** What a try or a call without a success ended with. */
export type Failure = Pick<PaymentsError, 'code' | 'message'> & Partial<PaymentsError>;

/** A call had no success, or none that the client knows of. */
export class PaymentsError extends Error {
  override readonly name = 'PaymentsError';
  /** Of the problem; `no_response` without a response of the service, `aborted` by the caller. */
  readonly code!: ProblemCode | 'no_response' | 'aborted';
  readonly status?: number;
  /** Identifies the request. Quote it to support. */
  readonly requestId?: string;
  /** Every fault of a request that is not valid. */
  readonly errors!: readonly Fault[];
  /** With status 412: the version of the record. */
  readonly version?: number;
  /** Of a POST: a call with the same key and the same arguments continues this one. */
  readonly key?: string;
  // The types of ES2021 have no cause.
  declare readonly cause?: unknown;
  /**
   * `none` of a read, of a first try that gets 412, or if nothing was sent and the key is not the
   * caller's; else `unknown`.
   */
  readonly effect!: 'none' | 'unknown';

  constructor({ message, cause, ...failure }: Failure, effect: 'none' | 'unknown', key?: string) {
    super(message, { cause });
    Object.assign(this, { errors: [], ...failure, effect, key });
  }
}

// biome-ignore format: a table
const statuses = {
  invalid_request: 400, conflicting_parameters: 400, invalid_cursor: 400, resource_missing: 400,
  invalid_idempotency_key: 400, unauthenticated: 401, insufficient_scope: 403, not_a_manager: 403,
  live_workspace_required: 403, request_blocked: 403, payment_request_not_found: 404,
  offer_not_found: 404, route_not_found: 404, method_not_allowed: 405, offer_not_sent: 409,
  idempotency_key_in_use: 409, response_too_large: 409, version_mismatch: 412, body_too_large: 413,
  unsupported_media_type: 415, idempotency_key_reused: 422, rate_limited: 429,
  internal_error: 500, unavailable: 503, outcome_unknown: 504,
} as const satisfies Record<ProblemCode, number>;

/** Whether the service returns a problem with this code, and with this status. */
export const isProblemCode = (code: unknown, status: number): code is ProblemCode =>
  typeof code === 'string' &&
  Object.hasOwn(statuses, code) &&
  statuses[code as ProblemCode] === status;
