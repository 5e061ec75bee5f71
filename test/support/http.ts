import { expect } from 'vitest';
import { deviations } from '../../lib/openapi/contract.ts';
import { stack } from './stack.ts';

export interface Call {
  readonly token?: string;
  readonly body?: unknown;
  /** Sent as it is, in place of `body` as JSON. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
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

/** Calls a running service, and checks that its answer is one that openapi.json documents. */
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
    expect(deviations(method, path, answer)).toEqual([]);
    if (answer.body && answer.status >= 400) expectDiscretion(answer);
    return answer;
  };

export const call = caller(stack.url);

/** An error names its request, and nothing of our inside. */
const expectDiscretion = ({ headers, body }: Answer) => {
  expect(body.request_id).toBe(headers.get('request-id'));
  expect(body.type).toBe(`urn:workforce-payments:problem:${body.code}`);
  expect(JSON.stringify(body)).not.toMatch(
    /dynamo|exception|\bat .*:\d+|node_modules|\btable|\baws/i,
  );
};
