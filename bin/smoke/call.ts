import { type ProblemCode, problems } from '../../functions/domain/problem.ts';
import { deviations } from '../../lib/openapi/contract.ts';
import { Failure } from './failure.ts';

/** What a request holds besides its method and path. */
export interface Sent {
  readonly token?: string | undefined;
  readonly key?: string;
  readonly body?: unknown;
  /** Sent as it is, in place of `body` as JSON. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that openapi.json documents. */
export interface Answer {
  /** The request, for messages. */
  readonly request: string;
  readonly status: number;
  readonly headers: Headers;
  /** As it was sent, to compare replays with. */
  readonly text: string;
  readonly body: unknown;
}

/** Sends a request. A check ends with a Failure when the answer is not one that openapi.json documents. */
export type Call = (method: string, path: string, sent?: Sent) => Promise<Answer>;

/** Longer than API Gateway waits for a function, 29 s. */
const patienceMs = 35_000;

/** @param url the base URL of the API, without a slash at its end */
export const caller =
  (url: string): Call =>
  async (method, path, { token, key, body, raw, headers } = {}) => {
    const request = `${method} ${path.length > 80 ? `${path.slice(0, 80)}…` : path}`;
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const { response, text } = await send(request, `${url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(content !== undefined && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    const answer = {
      request,
      status: response.status,
      headers: response.headers,
      text,
      body: parse(text),
    };
    const [deviation, ...others] = deviations(method, path, answer);
    if (deviation) {
      const more = others.length > 0 ? ` (and ${others.length} more)` : '';
      throw new Failure(`Not as openapi.json says: ${deviation}${more}${idOf(answer)}`);
    }
    const { request_id = null } = answer.body as { request_id?: string };
    if (answer.status >= 400 && request_id !== answer.headers.get('request-id')) {
      throw unexpectedAnswer(answer, 'a request_id that equals the header Request-Id');
    }
    return answer;
  };

const send = async (request: string, url: string, init: RequestInit) => {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return { response, text: await response.text() };
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Failure(
      `${request}: no answer (${(cause as Error | undefined)?.message ?? message}).`,
    );
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** By this the operators find a request in the logs. */
const idOf = ({ headers }: Pick<Answer, 'headers'>) => {
  const id = headers.get('request-id');
  return id ? ` [Request-Id ${id}]` : '';
};

/** @returns the body, which openapi.json describes for this status */
export const requireSuccess = <Body>(answer: Answer, status: number): Body => {
  if (answer.status !== status) throw unexpectedAnswer(answer, `${status}`);
  return answer.body as Body;
};

/** Requires that an answer is the problem of this code. */
export const requireProblem = (answer: Answer, code: ProblemCode): void => {
  const { status } = problems[code];
  const body = answer.body as { code?: string };
  if (answer.status !== status || body.code !== code)
    throw unexpectedAnswer(answer, `${status} ${code}`);
};

/** The failure of an answer that is not what a check expected. */
export const unexpectedAnswer = (answer: Answer, expected: string): Failure => {
  const got = `${answer.status} ${answer.text}`;
  const excerpt = got.length > 300 ? `${got.slice(0, 300)}…` : got;
  return new Failure(`${answer.request}: expected ${expected}; got ${excerpt}${idOf(answer)}`);
};
