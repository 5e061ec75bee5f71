import { expect } from 'vitest';
import { problems } from '../../functions/domain/problem.ts';
import { stack } from './stack.ts';

export interface Call {
  readonly token?: string;
  readonly body?: unknown;
  /** Sent as it is, in place of `body` as JSON. */
  readonly raw?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they then compare whole.
  readonly body: any;
}

export type Caller = (method: string, path: string, call?: Call) => Promise<Answer>;

/** Calls a running service, and checks what must hold for every answer, whatever was asked. */
export const caller =
  (url: string): Caller =>
  async (method, path, { token, body, raw, key, headers = {} } = {}) => {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(content !== undefined && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: method === 'HEAD' ? undefined : JSON.parse(text),
    };
    expect(answer.headers.get('request-id')).toMatch(/^[\w-]{8,}$/);
    if (answer.status >= 400 && answer.body) expectProblem(answer);
    else expect(answer.headers.get('content-type')).toMatch(/^application\/(problem\+)?json$/);
    return answer;
  };

export const call = caller(stack.url);

/** Every error has this shape, and nothing of our inside in it. */
const expectProblem = ({ status, headers, body }: Answer) => {
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(Object.keys(problems)).toContain(body.code);
  expect(body).toMatchObject({
    type: `urn:workforce-payments:problem:${body.code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    request_id: headers.get('request-id'),
  });
  const known = ['type', 'title', 'status', 'detail', 'code', 'request_id', 'errors'];
  expect(Object.keys(body).filter((member) => !known.includes(member))).toEqual([]);
  expect(JSON.stringify(body)).not.toMatch(
    /dynamo|exception|\bat .*:\d+|node_modules|\btable|\baws/i,
  );
};
