import { type Ended, readAnswer } from './answer.ts';
import type { Try } from './payments-client.ts';
import { type Failure, isProblemCode, PaymentsError, proofOf } from './payments-error.ts';
import { prepare, type RouteCall } from './request.ts';

/** Sends a request, again and again while that can help, and returns the body of its success. */
export const send = async <Answer>(call: RouteCall, route: string): Promise<Answer> => {
  const { signal, endMs } = call;
  const key = route.startsWith('POST') ? (call.key ?? crypto.randomUUID()) : undefined;
  const { fetch, url, init, bearer } = prepare(call, route, key);
  const report = async (ended: Try) => call.onTry?.(ended);
  let isUncertain = false;
  /** The last answer of the service. */
  let last: Failure | undefined;
  const errorOf = (failure: Failure) => {
    // A key of the caller's may have been used before this call.
    const isProven = !isUncertain && (key !== call.key || proofOf(failure) === 'all');
    const message = failure.message
      .replaceAll(bearer, '…')
      .replaceAll(/[\p{C}\u2028\u2029]/gu, ' ');
    const effect = key === undefined || isProven ? 'none' : 'unknown';
    return new PaymentsError({ ...failure, message }, effect, key);
  };
  for (let attempt = 1; ; attempt += 1) {
    if (signal?.aborted) throw errorOf({ ...last, ...abortedBy(signal) });
    let answer: Pick<Try, 'status' | 'requestId'> = {};
    const tryOnce = async (until: AbortSignal): Promise<Ended> => {
      const response = await fetch(url, { ...init, signal: until });
      const requestId = response.headers.get('Request-Id');
      answer = { status: response.status, ...(requestId !== null && { requestId }) };
      return readAnswer(response, until, call.list);
    };
    const ms = Math.min(30_000, endMs - performance.now());
    const ended = await within(ms, signal, tryOnce).catch((error) => noAnswer(error, url, signal));
    const { body, replayed = false, retryAfterMs } = ended;
    const failure = ended.failure && { ...ended.failure, ...answer };
    isUncertain ||= !!failure && proofOf(failure) === 'none';
    const waitMs = waitAfter(attempt, retryAfterMs, endMs - performance.now());
    const error = failure && errorOf(failure);
    const { status, requestId } = failure ?? answer;
    report({ attempt, status, requestId, replayed, waitMs, error }).catch(() => {});
    if (!failure) return body as Answer;
    if (failure.requestId !== undefined || isProblemCode(failure.code)) last = failure;
    if (retryAfterMs === undefined) throw errorOf({ ...last, ...failure });
    if (waitMs === undefined) throw errorOf(last ?? failure);
    await sleep(waitMs, signal);
  }
};

/** Up to 0.2 to 10 s longer than asked, at random; undefined if the time left is over before. */
const waitAfter = (attempt: number, retryAfterMs = Number.NaN, leftMs: number) => {
  const backoffMs = Math.min(10_000, 100 * 2 ** attempt, leftMs - retryAfterMs);
  const waitMs = retryAfterMs + Math.random() * backoffMs;
  return waitMs < leftMs ? waitMs : undefined;
};

const noAnswer = (error: unknown, { host }: URL, signal: AbortSignal | undefined): Ended => {
  if (signal?.aborted) return { failure: abortedBy(signal) };
  const { cause, code, name } = Object(error);
  // fetch blocks some ports, such as 6000, before it sends anything.
  const isBlocked = cause?.message === 'bad port';
  if (isBlocked) throw new TypeError('fetch blocks the port of baseUrl.', { cause });
  const reason = [cause?.code, code, name].find((each) => /^[A-Z]\w+$/i.test(each ?? ''));
  const message = `No complete answer from ${host}: ${reason ?? 'Error'}.`;
  // Without an address or a good certificate, each try has the same end.
  const retryAfterMs = /^ENOTFOUND$|CERT|^UNABLE_TO_|WRONG_VERSION/.test(reason) ? undefined : 0;
  // The message of the error may hold anything, and that of JSON.parse the text of the answer.
  const shown = name === 'SyntaxError' ? undefined : error;
  return { failure: { code: 'no_answer', message, cause: shown }, retryAfterMs };
};

/** What an aborted call ends with. */
export const abortedBy = ({ reason }: AbortSignal): Failure => {
  const message = 'The caller has aborted the call.';
  return { code: 'aborted', message, cause: reason };
};

type Work<T> = (until: AbortSignal) => Promise<T>;

/** Ends as the work does; or rejects when the time is over, or the signal is aborted. */
const within = async <T>(ms: number, signal: AbortSignal | undefined, work: Work<T>) => {
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch((reason) => controller.abort(reason));
  const stop = () => reject(signal?.reason ?? new DOMException('', 'TimeoutError'));
  // A timer may end 2 ms early; one of less than 0 is a warning, of more than 24 days the end.
  const timer = setTimeout(stop, Math.min(Math.max(ms + 2, 0), 2 ** 31 - 1));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    return await Promise.race([work(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
};

/** Waits, at most until the signal is aborted. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  within(ms, signal, () => new Promise<never>(() => {})).catch(() => {});
