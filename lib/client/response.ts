import { type Failure, type Fault, isProblemCode } from './payments-error.ts';

/** What one try ended with: the body of a success; or a failure, and whether to try again. */
export interface Ended {
  readonly body?: object;
  readonly replayed?: boolean;
  readonly failure?: Failure;
  readonly retryAfterMs?: number | undefined;
}

/** Another program has failed, such as the network: the next try may succeed. */
export class LostResponse extends Error {}

/** Runs what is not of this client. Every other error is one of the client or its environment. */
export const runForeign = async <T>(run: () => T | Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (cause) {
    throw new LostResponse('', { cause });
  }
};

/** Reads a response, and believes only what has the form of the service's responses. */
export const readResponse = async (response: Response, until: AbortSignal, list?: string) => {
  const { status, ok, headers } = response;
  const form = ok ? /^application\/json\s*(;|$)/i : /^application\/problem\+json\s*(;|$)/i;
  const isJson = form.test(headers.get('Content-Type') ?? '');
  const text = await textOf(response, until);
  const body =
    isJson && text !== undefined ? membersOf(await runForeign(() => JSON.parse(text))) : undefined;
  if (ok && body && (!list || isList(body[list], list === 'approvals'))) {
    return { body, replayed: headers.get('Idempotent-Replayed') === 'true' };
  }
  const retryAfterMs = retryAfterOf(response);
  // The JSON of an intermediary may have a code too, which says nothing of the service.
  const { code, title, detail = title, request_id, errors: faults, version } = (!ok && body) || {};
  if (!isProblemCode(code, status) || typeof request_id !== 'string' || !request_id) {
    const message = `The service has not given this response: status ${status}.`;
    return { failure: { code: 'no_response' as const, message }, retryAfterMs };
  }
  const errors: Fault[] = Array.isArray(faults) ? faults.filter((each) => each?.detail) : [];
  const message = [`${code}: ${detail}`, ...errors.slice(0, 1).map(sentenceOfFault)].join(' ');
  const failure = { code, message, requestId: request_id, errors };
  const isVersion = Number.isSafeInteger(version);
  return { failure: { ...failure, ...(isVersion && { version: Number(version) }) }, retryAfterMs };
};

/** What is wrong, after its place, which is empty for a whole body. */
const sentenceOfFault = ({ pointer, parameter, header, detail }: Fault): string => {
  const place = pointer ?? parameter ?? header;
  return place ? `${place}: ${detail}` : detail;
};

const membersOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value && !Array.isArray(value) ? { ...value } : undefined;

const isList = (value: unknown, ofIds: boolean): boolean =>
  Array.isArray(value) && value.every((each) => typeof (ofIds ? each : each?.id) === 'string');

/** Undefined if it is longer than 1 MiB, which only a list of 28,000 approvals reaches. */
const textOf = async ({ body }: Response, until: AbortSignal): Promise<string | undefined> => {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; bytes <= 2 ** 20 && !until.aborted; ) {
    const { done, value } = (await runForeign(() => reader?.read())) ?? { done: true };
    if (done) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  reader?.cancel().catch(() => {});
  return undefined;
};

/** By the clock of the server; undefined if a further try is of no use. */
const retryAfterOf = ({ status, headers }: Response): number | undefined => {
  const value = headers.get('Retry-After') ?? '';
  if (!value && status < 500 && ![408, 425, 429].includes(status)) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const nowMs = timeOf(headers.get('Date') ?? '') || Date.now();
  return Math.max(0, timeOf(value) - nowMs || 0);
};

/** The three forms of a date in HTTP (RFC 9110, section 5.6.7), which are all in UTC. */
const httpDate =
  /^(\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d\d-\w{3}-\d\d [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/;
const timeOf = (date: string): number =>
  httpDate.test(date) ? Date.parse(`${date.replace(/ GMT$/, '')} GMT`) : Number.NaN;
