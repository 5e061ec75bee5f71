import { type Route, routes } from '../domain/routes.ts';

/** An event that has no effect, and what a version that works answers it. */
export interface Probe {
  readonly event: object;
  /** Members that the result has, whatever else it has. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** A workspace that no token leads to and that holds nothing. */
const authorizer = {
  workspace: 'wsp_probe',
  account: 'acc_probe',
  token_id: `tok_${'0'.repeat(26)}`,
};

/** What API Gateway would send, as far as the endpoints read it. */
const requestTo = ({ method, path, scope }: Route, requestId: string, parts: object = {}) => ({
  httpMethod: method,
  resource: path,
  pathParameters: path.includes('{id}') ? { id: 'unknown' } : null,
  multiValueHeaders: { 'Content-Type': ['application/json'], 'Idempotency-Key': [requestId] },
  multiValueQueryStringParameters: null,
  body: null,
  isBase64Encoded: false,
  requestContext: { requestId, authorizer: { ...authorizer, scopes: scope } },
  ...parts,
});

/** An endpoint refuses a parameter that no operation has, once it has read the whole request. */
const refused = (route: Route, requestId: string): Probe => ({
  event: requestTo(route, requestId, { multiValueQueryStringParameters: { probe: ['1'] } }),
  answers: { statusCode: 400 },
});

/**
 * Where a probe can reach the table without an effect, it does: a key is claimed and, as nothing is
 * found, given back.
 */
const probes: Readonly<Record<string, (requestId: string) => Probe>> = {
  ...Object.fromEntries(
    Object.values<Route>(routes).map((route) => [
      route.functionName,
      (requestId: string) => refused(route, requestId),
    ]),
  ),
  [routes.approvePaymentRequest.functionName]: (requestId) => ({
    event: requestTo(routes.approvePaymentRequest, requestId, {
      body: '{"approver":"00000000-0000-4000-8000-000000000000"}',
    }),
    answers: { statusCode: 404 },
  }),
  [routes.resendOffer.functionName]: (requestId) => ({
    event: requestTo(routes.resendOffer, requestId),
    answers: { statusCode: 404 },
  }),
  [routes.listSandboxes.functionName]: (requestId) => ({
    event: requestTo(routes.listSandboxes, requestId),
    answers: { statusCode: 200, body: '{"sandboxes":[]}' },
  }),
  authorize: () => ({
    event: {
      type: 'TOKEN',
      authorizationToken: 'Bearer probe',
      methodArn: 'arn:aws:execute-api:probe:000000000000:probe/probe/GET/v1/sandboxes',
    },
    answers: { principalId: 'nobody' },
  }),
};

/** For functions behind queues and streams. */
const emptyBatch: Probe = { event: { Records: [] }, answers: { batchItemFailures: [] } };

/**
 * The probe of a function, by its name.
 *
 * @param requestId under which the probe is in the logs, and the key that it claims: no two may
 * share it
 */
export const probeOf = (functionName: string, requestId: string): Probe =>
  probes[functionName]?.(requestId) ?? emptyBatch;
