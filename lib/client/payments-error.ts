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
  /** Of the problem; `no_answer` without an answer of the service, `aborted` by the caller. */
  readonly code!: ProblemCode | 'no_answer' | 'aborted';
  readonly status?: number;
  /** Identifies the request. Quote it to support. */
  readonly requestId?: string;
  /** Every fault of a request that is not valid. */
  readonly errors!: readonly Fault[];
  /** Of a POST: a call with the same key and the same arguments continues this one. */
  readonly key?: string;
  /** `unknown` as soon as any request with the key may have had its effect. */
  readonly effect!: 'none' | 'unknown';

  constructor({ message, cause, ...failure }: Failure, effect: 'none' | 'unknown', key?: string) {
    super(message, { cause });
    Object.assign(this, { errors: [], ...failure, effect, key });
  }
}

// Which requests a problem proves to have had no effect: `all` with the key, whose result the
// service has looked for; the answered `one`, but maybe not an earlier one with its key; or `none`.
// biome-ignore format: a table
const proofs = {
  payment_request_not_found: 'all', offer_not_found: 'all', offer_not_sent: 'all',
  invalid_request: 'one', conflicting_parameters: 'one', invalid_cursor: 'one',
  resource_missing: 'one', invalid_idempotency_key: 'one', unauthenticated: 'one',
  insufficient_scope: 'one', not_a_manager: 'one', live_workspace_required: 'one',
  request_blocked: 'one', route_not_found: 'one', method_not_allowed: 'one', body_too_large: 'one',
  unsupported_media_type: 'one', rate_limited: 'one', unavailable: 'one',
  idempotency_key_in_use: 'none', idempotency_key_reused: 'none',
  internal_error: 'none', outcome_unknown: 'none',
} as const satisfies Record<ProblemCode, 'all' | 'one' | 'none'>;

/** Whether a code is one of the service. */
export const isProblemCode = (code: unknown): code is ProblemCode =>
  typeof code === 'string' && Object.hasOwn(proofs, code);

/** Which requests a failure proves to have had no effect. */
export const proofOf = ({ code }: Failure) => (isProblemCode(code) ? proofs[code] : 'none');
