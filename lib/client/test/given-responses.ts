import { expect } from 'vitest';
import {
  type ProblemCode,
  problemDetails,
  problemHeaders,
  problems,
} from '../../../functions/domain/problem.ts';
import { type ClientOptions, PaymentsError, paymentsClient } from '../payments-client.ts';

/** What a call ends with that has no success. */
export const errorOf = async (call: Promise<unknown>): Promise<PaymentsError> => {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(PaymentsError);
  return error;
};

/** A response of a `fetch`. */
export type GivenResponse = (init?: RequestInit) => Response | Promise<Response>;

/**
 * A client of these responses, the last of which is given again, and the requests that it sends.
 */
export const clientOf = (
  responses: readonly GivenResponse[],
  options: Partial<ClientOptions> = {},
) => {
  const requests: { readonly url: URL; readonly headers: Headers }[] = [];
  const client = paymentsClient({
    baseUrl: 'https://api.example.com',
    token: 'token',
    fetch: async (input, init) => {
      const response = responses[requests.length] ?? responses.at(-1);
      requests.push({ url: new URL(`${input}`), headers: new Headers(init?.headers) });
      if (!response) throw new Error('There is no response.');
      return response(init);
    },
    ...options,
  });
  const keys = () => requests.map(({ headers }) => headers.get('Idempotency-Key'));
  return { client, requests, keys };
};

/** A response in JSON. */
export const json =
  (body: unknown, init: ResponseInit = {}): GivenResponse =>
  () =>
    Response.json(body, init);

/** A problem, as the service reports it. */
export const problem =
  (
    code: ProblemCode,
    headers: Record<string, string> = {},
    requestId = 'request-1',
  ): GivenResponse =>
  () =>
    new Response(JSON.stringify(problemDetails(code, 'Said by a test.', requestId)), {
      status: problems[code].status,
      headers: { ...problemHeaders(code), ...headers },
    });

/** The header of a problem that may be sent again at once. */
export const now = { 'Retry-After': '0' };

export const success = json({ id: 'ofr_1' });
/** A page of another server. */
export const page =
  (status: number): GivenResponse =>
  () =>
    new Response('<html>', { status, headers: { 'Content-Type': 'text/html' } });
export const lost: GivenResponse = () => Promise.reject(new TypeError('fetch failed'));
/** A body that ends too early. */
export const torn: GivenResponse = () => {
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode('{"id":')),
    pull: (stream) => stream.error(new TypeError('terminated')),
  });
  const headers = { 'Content-Type': 'application/json', 'Request-Id': 'request-torn' };
  return new Response(body, { headers });
};
/** No response, from a `fetch` that ignores its signal. */
export const never: GivenResponse = () => new Promise(() => {});
