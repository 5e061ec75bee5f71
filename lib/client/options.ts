import type { PaymentsError } from './payments-error.ts';

/** Where the service is, and who calls it. */
export interface ClientOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** How long a call is tried, in seconds; 90 unless given. */
  readonly tryForS?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Is called after each try. What it throws is ignored. */
  readonly onTry?: ((ended: Try) => void) | undefined;
}

/** A try of a call that has ended; the first one is the attempt 1. */
export interface Try {
  readonly attempt: number;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Whether the response is the saved one of an earlier request with the key. */
  readonly replayed: boolean;
  /** How long the client waits before the next try, if there is one. */
  readonly waitMs?: number | undefined;
  readonly error?: PaymentsError | undefined;
}

/** What every call takes. */
export interface Call {
  /** The Idempotency-Key; a new one for each call, unless given. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly tryForS?: number | undefined;
}

/** What an approval takes. */
export interface ApprovalCall extends Call {
  /** The versions of the record of which the manager saw one; any, unless given. */
  readonly version?: number | readonly number[] | undefined;
}

/** A walk over all sandboxes; over those older than `after`, or over those newer than `before`. */
export interface Walk extends Omit<Call, 'key'> {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}
