import { answerHeaders } from '../../functions/domain/answer-headers.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import type { OperationId } from '../../lib/openapi/operations.ts';
import { demo } from '../demo-data.ts';

/** In what a request differs from the one that asks its operation for a success. */
export interface Ask {
  readonly path?: string;
  readonly method?: string;
  /** Null sends none. */
  readonly token?: string | null;
  readonly key?: string;
  readonly body?: unknown;
  /** Sent in place of the body, and not recorded. */
  readonly raw?: string;
  readonly contentType?: string;
}

/** What each operation is asked when all is well, with the demo data. */
export const wanted: Record<OperationId, Ask> = {
  approvePaymentRequest: {
    path: `/v1/payment-requests/${demo.payment_requests.pending}/approve`,
    body: { approver: demo.managers.live[0], reason: 'Matches the timesheet' },
  },
  createSandbox: { body: { name: 'My first sandbox' } },
  listSandboxes: { path: '/v1/sandboxes?limit=1' },
  resendOffer: { path: `/v1/offers/${demo.offers.sent}/resend` },
};

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
    ...wanted[operation],
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
