import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from './openapi.d.ts';

type Schemas = components['schemas'];

/** A payment request, with its approvals. */
export type PaymentRequest = Schemas['PaymentRequest'];
/** The body of an approval. */
export type ApprovePaymentRequest = Schemas['ApprovePaymentRequest'];
/** A sandbox. */
export type Sandbox = Schemas['Sandbox'];
/** The body that creates a sandbox. */
export type CreateSandbox = Schemas['CreateSandbox'];
/** An offer, with its delivery summary. */
export type Offer = Schemas['Offer'];
/** The body of an event about a payment request. */
export type PaymentRequestEvent = Schemas['PaymentRequestEvent'];
/** The body of an event about a sandbox. */
export type SandboxEvent = Schemas['SandboxEvent'];
/** The body of an event about a delivery attempt. */
export type DeliveryAttemptEvent = Schemas['DeliveryAttemptEvent'];
/** The body of an event about a redaction of personal data. */
export type RedactionEvent = Schemas['RedactionEvent'];
/** The body of any event, which its `type` narrows down. */
export type PaymentsEvent =
  | PaymentRequestEvent
  | SandboxEvent
  | DeliveryAttemptEvent
  | RedactionEvent;
/** The stable code of a problem. */
export type ProblemCode = Schemas['Problem']['code'];
/** One fault of a request, and where it is. */
export type Fault = NonNullable<Schemas['Problem']['errors']>[number];

/** Where the service is, and who calls it. */
export interface ClientOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** How long a call is tried, in seconds. */
  readonly tryForS?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** What every call takes. */
export interface Call {
  /** The Idempotency-Key; a new one for each call, unless given. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where a walk through the list begins: next to a sandbox, or at the newest one. */
export interface Walk {
  /** The id of a sandbox: the walk leads to older ones. */
  readonly after?: string | undefined;
  /** The id of a sandbox: the walk leads to newer ones. */
  readonly before?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A client of one workspace. Every method throws PaymentsError. */
export interface PaymentsClient {
  /** Approves a payment request. */
  readonly approve: (
    id: string,
    body: ApprovePaymentRequest,
    call?: Call,
  ) => Promise<PaymentRequest>;
  /** Creates a sandbox, which is `provisioning` at first. */
  readonly createSandbox: (body: CreateSandbox, call?: Call) => Promise<Sandbox>;
  /** Sends an offer again. */
  readonly resendOffer: (id: string, call?: Call) => Promise<Offer>;
  /** Every sandbox once, newest first, or after `before` oldest first. */
  readonly sandboxes: (walk?: Walk) => AsyncIterable<Sandbox>;
  /** Looks a new sandbox up in the list until it is `ready`. */
  readonly waitUntilReady: (sandbox: Sandbox, call?: Call) => Promise<Sandbox>;
}

/** What a call without a success ended with. */
interface Failure {
  readonly code: ProblemCode | 'no_answer';
  readonly message: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly errors?: readonly Fault[];
  readonly cause?: unknown;
}

/** A call had no success, or none that the client knows of. */
export class PaymentsError extends Error implements Failure {
  override readonly name = 'PaymentsError';
  /** That of the problem, or `no_answer` where the service has given no complete answer. */
  readonly code: ProblemCode | 'no_answer';
  readonly status?: number;
  /** Identifies the request. Quote it to support. */
  readonly requestId?: string;
  /** Every fault of a request that is not valid. */
  readonly errors: readonly Fault[];
  /** Of a POST: a call with the same key and the same arguments continues this one. */
  readonly key?: string;
  /** `unknown` as soon as any request with the key may have had its effect. */
  readonly effect: 'none' | 'unknown';

  constructor(failure: Failure, effect: 'none' | 'unknown', key?: string) {
    super(failure.message, { cause: failure.cause });
    this.code = failure.code;
    this.status = failure.status;
    this.requestId = failure.requestId;
    this.errors = failure.errors ?? [];
    this.key = key;
    this.effect = effect;
  }
}

/** A request that is sent until it is answered. */
interface Sent extends Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

/** One try that was no success. */
interface FailedTry {
  readonly failure: Failure;
  /** How long to wait at least before the request is sent again; undefined where it is not. */
  readonly retryAfterS?: number;
  /** Whether this try may have had its effect. */
  readonly uncertain: boolean;
}

/** The longest time of one try. */
const tryMs = 30_000;
/** The longest wait before the second try; each further one may be twice as long. */
const backoffMs = 200;
const longestBackoffMs = 10_000;
/** How often a new sandbox is looked up. */
const pollMs = 500;
/**
 * Aborted calls, refusals of the caller, and a key that an earlier request has used: that one may
 * have been accepted.
 */
const saysNothingOfEarlier = [0, 401, 403, 422, 429];

/** Calls the API: with a key for each POST, and again until there is an answer. */
export const paymentsClient = (options: ClientOptions): PaymentsClient => {
  const send = sender(options);
  const post = <Answer>(path: string, body: object | undefined, call?: Call) =>
    send<Answer>({ ...call, method: 'POST', path, body });

  async function* sandboxes({ after, before, signal }: Walk = {}) {
    const isTowardsNewer = before !== undefined;
    let query: Record<string, string> = {
      ...(after !== undefined && { starting_after: after }),
      ...(before !== undefined && { ending_before: before }),
    };
    for (;;) {
      const path = `/v1/sandboxes?${new URLSearchParams({ limit: '100', ...query })}`;
      const page = await send<Schemas['SandboxList']>({ method: 'GET', path, signal });
      const found = isTowardsNewer ? page.sandboxes.toReversed() : page.sandboxes;
      yield* found;
      const last = found.at(-1);
      if (!page.cursor || !last) return;
      // Not the cursor: an id survives a rotation of the key that authenticates cursors.
      query = { [isTowardsNewer ? 'ending_before' : 'starting_after']: last.id };
    }
  }

  const find = async ({ id }: Sandbox, signal?: AbortSignal) => {
    for await (const sandbox of sandboxes({ signal })) if (sandbox.id === id) return sandbox;
    return undefined;
  };

  return {
    approve: async (id, body, call) =>
      post(`/v1/payment-requests/${segmentOf(id)}/approve`, body, call),
    createSandbox: (body, call) => post('/v1/sandboxes', body, call),
    resendOffer: async (id, call) => post(`/v1/offers/${segmentOf(id)}/resend`, undefined, call),
    sandboxes,
    waitUntilReady: async (sandbox, { signal } = {}) => {
      const { tryForS = defaultTryForS } = options;
      const endMs = performance.now() + tryForS * 1000;
      for (let seen: Sandbox | undefined = sandbox; ; seen = await find(sandbox, signal)) {
        if (seen?.status === 'ready') return seen;
        if (performance.now() > endMs) {
          const message = `The sandbox ${sandbox.id} is not ready after ${tryForS} s.`;
          throw new PaymentsError({ code: 'no_answer', message }, 'none');
        }
        // If it is aborted, the next request ends the wait.
        await sleep(pollMs, undefined, { signal }).catch(() => {});
      }
    },
  };
};

const defaultTryForS = 90;

/** Sends a request, again and again while that can help, and returns the answer's body. */
const sender =
  ({ baseUrl, token, tryForS = defaultTryForS, fetch = globalThis.fetch }: ClientOptions) =>
  async <Answer>({ method, path, body, key: given, signal }: Sent): Promise<Answer> => {
    const endMs = performance.now() + tryForS * 1000;
    const key = method === 'POST' ? (given ?? crypto.randomUUID()) : undefined;
    // Made before the first try: no repetition helps a wrong address, token or key.
    const url = new URL(`${addressOf(baseUrl)}${path}`);
    const bearer = token.trim();
    // The error of Headers would show the token.
    if (/[^ -~]/.test(bearer)) throw new TypeError('No header can hold this token.');
    const headers = new Headers({
      Authorization: `Bearer ${bearer}`,
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(body && { 'Content-Type': 'application/json' }),
    });
    const request: RequestInit = {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      // Not followed: a redirected POST would arrive as a GET.
      redirect: 'manual',
    };
    let uncertain = false;
    for (let tries = 0; ; tries += 1) {
      const leftMs = Math.max(0, Math.ceil(endMs - performance.now()));
      const timeout = AbortSignal.timeout(Math.min(tryMs, leftMs));
      const until = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const result = signal?.aborted
        ? { failure: aborted(signal), uncertain: false }
        : await readAnswer<Answer>(() => fetch(url, { ...request, signal: until }), signal);
      if ('answer' in result) return result.answer;
      const { failure, retryAfterS }: FailedTry = result;
      uncertain ||= result.uncertain;
      const backoff = Math.random() * Math.min(longestBackoffMs, backoffMs * 2 ** tries);
      const waitMs = (retryAfterS ?? 0) * 1000 + backoff;
      if (retryAfterS === undefined || performance.now() + waitMs > endMs) {
        // A request with a key of the caller's may have been sent before this call.
        const isAboutRequest =
          retryAfterS === undefined && !saysNothingOfEarlier.includes(failure.status ?? 0);
        const unknown = uncertain || (given !== undefined && !isAboutRequest);
        throw new PaymentsError(failure, key !== undefined && unknown ? 'unknown' : 'none', key);
      }
      // If it is aborted, the next round ends the call.
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  };

/** @throws TypeError that does not show the address, which may hold a password */
const addressOf = (baseUrl: string): string => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // The scheme of `localhost:3000` is `localhost`. fetch rejects an address with credentials.
  const isHttp = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  // The path of a request would become part of a query or a fragment.
  if (!isHttp || /[?#]/.test(url.href)) {
    throw new TypeError(
      'baseUrl must be an HTTP or HTTPS URL without credentials, query or fragment.',
    );
  }
  return url.href.replace(/\/$/, '');
};

/** @throws TypeError when the id is not well-formed Unicode */
const segmentOf = (id: string): string => {
  try {
    return encodeURIComponent(id);
  } catch (cause) {
    throw new TypeError('The id is not well-formed Unicode.', { cause });
  }
};

/** Makes one try. */
const readAnswer = async <Answer>(
  fetchAnswer: () => Promise<Response>,
  signal?: AbortSignal,
): Promise<{ readonly answer: Answer } | FailedTry> => {
  try {
    const response = await fetchAnswer();
    const { status, headers, ok } = response;
    const text = await response.text();
    const type = headers.get('Content-Type') ?? '';
    const isJson = /\bjson\b/.test(type);
    const body = isJson ? JSON.parse(text) : {};
    if (ok && isJson) return { answer: body };
    // The JSON of a gateway may have a `code` too, which says nothing of the service.
    const problem = type.includes('problem+json') ? body : {};
    const retryAfter = headers.get('Retry-After');
    return {
      failure: refusal(status, problem, text),
      ...((retryAfter || status >= 500) && { retryAfterS: secondsOf(retryAfter ?? '') }),
      // `unavailable` says that nothing was done.
      uncertain: !problem.code || (status >= 500 && problem.code !== 'unavailable'),
    };
  } catch (cause) {
    if (signal?.aborted) return { failure: aborted(signal), uncertain: true };
    // fetch blocks some ports, such as 6000, before it sends anything.
    if (((cause as Error).cause as Error | undefined)?.message === 'bad port') {
      throw new TypeError('fetch blocks the port of baseUrl.', { cause });
    }
    const message = `No complete answer: ${(cause as Error).message}`;
    return { failure: { code: 'no_answer', message, cause }, retryAfterS: 0, uncertain: true };
  }
};

/** How long a Retry-After, in seconds or a date, asks to wait; 0 if it cannot be read. */
const secondsOf = (retryAfter: string): number => {
  const seconds = Number(retryAfter);
  const isDate = Number.isNaN(seconds);
  return Math.max(0, (isDate ? (Date.parse(retryAfter) - Date.now()) / 1000 : seconds) || 0);
};

/** What a problem says, or an answer that is none of the service's. */
const refusal = (
  status: number,
  { code, detail, request_id: requestId, errors }: Partial<Schemas['Problem']>,
  text: string,
): Failure =>
  code
    ? { code, message: `${code}: ${detail}`, status, requestId, errors }
    : {
        code: 'no_answer',
        message: `The service has not given this answer: ${status} ${text.slice(0, 200)}`,
        status,
      };

const aborted = ({ reason }: AbortSignal): Failure => ({
  code: 'no_answer',
  message: 'The caller has aborted the call.',
  cause: reason,
});
