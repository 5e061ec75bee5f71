import type { Try } from './options.ts';
import { type Failure, PaymentsError } from './payments-error.ts';
import { prepare, type RouteCall } from './request.ts';
import { type Ended, LostResponse, readResponse, runForeign } from './response.ts';

/** Sends a request, again and again while that can help, and returns the body of its success. */
export const send = async <Body>(call: RouteCall, route: string): Promise<Body> => {
  const { fetch, signal, endMs } = call;
  const key = route.startsWith('POST') ? (call.key ?? crypto.randomUUID()) : undefined;
  const { url, init, bearer } = prepare(call, route, key);
  const report = async (ended: Try) => call.onTry?.(ended);
  let isSent = false;
  /** The last response of the service. */
  let last: Failure | undefined;
  const errorOf = (failure: Failure, isRefused = false) => {
    const message = sentenceOf(failure.message, bearer);
    // An intermediary may copy a request; another program may have sent the key of a caller.
    const isUnknown = key !== undefined && (isSent || key === call.key) && !isRefused;
    return new PaymentsError({ ...failure, message }, isUnknown ? 'unknown' : 'none', key);
  };
  const lost = (error: unknown): Ended => {
    if (signal?.aborted) return { failure: abortedBy(signal) };
    const { cause } = Object(error);
    if (cause?.message !== 'bad port') return noResponse(error, url);
    // fetch blocks some ports, such as 6000, before it sends anything.
    isSent = false;
    throw new TypeError('fetch blocks the port of baseUrl.', { cause });
  };
  const sendRepeatedly = async () => {
    for (let attempt = 1; ; attempt += 1) {
      if (signal?.aborted) throw errorOf({ ...last, ...abortedBy(signal) });
      let facts: Pick<Try, 'status' | 'requestId'> = {};
      const tryOnce = async (until: AbortSignal): Promise<Ended> => {
        isSent = true;
        const response = await runForeign(() => fetch(url, { ...init, signal: until }));
        const requestId = response.headers.get('Request-Id');
        facts = { status: response.status, ...(requestId !== null && { requestId }) };
        return readResponse(response, until, call.list);
      };
      const ms = Math.min(30_000, endMs - performance.now());
      const ended = await within(ms, signal, tryOnce).catch((error) => {
        if (error instanceof LostResponse) return lost(error.cause);
        throw error;
      });
      const {
        body,
        replayed = false,
        retryAfterMs,
        ...rest
      } = ended ?? lost(new DOMException('', 'TimeoutError'));
      const failure = rest.failure && { ...rest.failure, ...facts };
      const waitMs = waitAfter(attempt, retryAfterMs, endMs - performance.now());
      // It follows a replay: nothing was done with this key.
      const isRefused = attempt === 1 && failure?.code === 'version_mismatch';
      const error = failure && errorOf(failure, isRefused);
      const { status, requestId } = failure ?? facts;
      report({ attempt, status, requestId, replayed, waitMs, error }).catch(() => {});
      if (!failure) return body as Body;
      if (failure.requestId !== undefined) last = failure;
      if (retryAfterMs === undefined) throw errorOf({ ...last, ...failure }, isRefused);
      if (waitMs === undefined) throw errorOf(last ?? failure);
      await sleep(waitMs, signal);
    }
  };
  return sendRepeatedly().catch((cause) => {
    if (!isSent || cause instanceof PaymentsError) throw cause;
    // The caller needs the key, whatever is wrong with the program.
    throw errorOf({
      code: 'no_response',
      message: 'The program has an error: see the cause.',
      cause,
    });
  });
};

/** Text without control characters and the token. A shorter token may be a word of a sentence. */
const sentenceOf = (text: string, bearer: string): string =>
  (bearer.length < 12 ? text : text.replaceAll(bearer, '…')).replaceAll(
    /[\p{C}\u2028\u2029]/gu,
    ' ',
  );

/**
 * The time that the response asks for, and a random one: at most 0.2 s after the first try, and 10
 * s later on. Undefined if the call ends before.
 */
const waitAfter = (attempt: number, retryAfterMs = Number.NaN, leftMs: number) => {
  const backoffMs = Math.min(10_000, 100 * 2 ** attempt, leftMs - retryAfterMs);
  const waitMs = retryAfterMs + Math.random() * backoffMs;
  return waitMs < leftMs ? waitMs : undefined;
};

const noResponse = (error: unknown, { host }: URL): Ended => {
  const { cause, code, name } = Object(error);
  const reason = [cause?.code, code, name].find((each) => /^[A-Z]\w+$/i.test(each ?? ''));
  const message = `No complete response from ${host}: ${reason ?? 'Error'}.`;
  // Without an address or a good certificate, each try has the same end.
  const retryAfterMs = /^ENOTFOUND$|CERT|^UNABLE_TO_|WRONG_VERSION/.test(reason) ? undefined : 0;
  // The message of the error may hold anything, and that of JSON.parse the text of the response.
  const shown = name === 'SyntaxError' ? undefined : error;
  return { failure: { code: 'no_response', message, cause: shown }, retryAfterMs };
};

/** What an aborted call ends with. */
export const abortedBy = ({ reason }: AbortSignal): Failure => {
  const message = 'The caller has aborted the call.';
  return { code: 'aborted', message, cause: reason };
};

/** Ends as `run` does; undefined when the time is over before, or the signal is aborted. */
const within = async <T>(
  ms: number,
  signal: AbortSignal | undefined,
  run: (until: AbortSignal) => Promise<T>,
) => {
  const controller = new AbortController();
  let stop = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  stopped.then(() => controller.abort(signal?.reason));
  // A timer may end 2 ms early; one of less than 0 is a warning, of more than 24 days the end.
  const timer = setTimeout(stop, Math.min(Math.max(ms + 2, 0), 2 ** 31 - 1));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    return await Promise.race([run(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
};

/** Waits, at most until the signal is aborted. */
export const sleep = async (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  within(ms, signal, () => new Promise<never>(() => {}));
