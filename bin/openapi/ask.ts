import { answerHeaders } from '../../functions/domain/answer-headers.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { demo } from '../../lib/openapi/demo.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import type { Ask, OperationId } from '../../lib/openapi/operation.ts';
import { operations } from '../../lib/openapi/operations.ts';

/** Asks a service that holds the demo data, and writes down what it was asked and answered. */
export const ask = async (
  url: string,
  operation: OperationId,
  name: string,
  asked: Ask = {},
): Promise<Exchange> => {
  const route: Route = routes[operation];
  const {
    method = route.method,
    path = route.path,
    token,
    key,
    body,
    raw,
    contentType,
  } = {
    ...operations[operation].examples.request,
    ...asked,
  };
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = {
    ...(token !== null && { Authorization: `Bearer ${token ?? demo.tokens.live}` }),
    ...(content !== undefined && { 'Content-Type': contentType ?? 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(content !== undefined && { body: content }),
  });
  return {
    operation,
    name,
    request: { method, path, headers, ...(raw === undefined && body !== undefined && { body }) },
    response: {
      status: response.status,
      headers: Object.fromEntries(
        recordedHeaders.flatMap((header) => {
          const value = response.headers.get(header);
          return value === null ? [] : [[header, value]];
        }),
      ),
      body: await response.json(),
    },
  };
};

const recordedHeaders = [
  'Content-Type',
  'Request-Id',
  ...Object.keys(answerHeaders),
  'Idempotent-Replayed',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
];
