import { answerHeaders } from '../../functions/domain/answer-headers.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { demo } from '../../lib/openapi/demo.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import type { Ask, OperationId } from '../../lib/openapi/operation.ts';
import { operations } from '../../lib/openapi/operations.ts';
import { requestInit } from './request-init.ts';

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
  const init = requestInit(method, {
    token: token === null ? undefined : (token ?? demo.tokens.live),
    body,
    raw,
    key,
    ...(contentType && { headers: { 'Content-Type': contentType } }),
  });
  const response = await fetch(`${url}${path}`, init);
  return {
    operation,
    name,
    request: {
      method,
      path,
      headers: init.headers,
      ...(raw === undefined && body !== undefined && { body }),
    },
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
