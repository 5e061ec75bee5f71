import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { bodyLimit } from '../functions/domain/body-limit.ts';
import {
  type ProblemCode,
  problemDetails,
  problemHeaders,
  problems,
} from '../functions/domain/problem.ts';
import { responseHeaders } from '../functions/domain/response-headers.ts';
import { methodsEverywhere } from './openapi/methods.ts';

interface GatewayProblem {
  readonly code: ProblemCode;
  readonly detail: string;
}

const unauthenticated: GatewayProblem = {
  code: 'unauthenticated',
  detail:
    'Send the header Authorization: Bearer <ACCESS_TOKEN> with a token that has neither expired nor been revoked.',
};
const routeNotFound: GatewayProblem = {
  code: 'route_not_found',
  detail: 'Nothing is at this path. Paths start with /v1.',
};
const invalidRequest: GatewayProblem = {
  code: 'invalid_request',
  detail: 'The request cannot be understood.',
};
const rateLimited: GatewayProblem = { code: 'rate_limited', detail: 'Wait, then try again.' };
/**
 * The authorizer failed, so that no function was called. AUTHORIZER_CONFIGURATION_ERROR is "failing
 * to connect to" it ("Gateway response types"), which experiments saw for an error that it throws,
 * and for a response that is no policy (serverless/examples#305).
 */
const unavailable: GatewayProblem = {
  code: 'unavailable',
  detail: 'The access token cannot be verified now. Nothing was changed. Send the request again.',
};
const outcomeUnknown: GatewayProblem = {
  code: 'outcome_unknown',
  detail:
    'No response came in time. Send a GET again, and a POST with its Idempotency-Key: it takes effect once. Check whether a POST without a key took effect before you send it again: it may take effect twice.',
};
const internalError: GatewayProblem = {
  code: 'internal_error',
  detail: 'Report the request_id to the operators of this service.',
};

/**
 * The responses that API Gateway makes by itself, in the words that our functions use: all of its
 * types, because the status of a default would become that of every type left out.
 *
 * MISSING_AUTHENTICATION_TOKEN is its response to a path that does not exist: with a Lambda
 * authorizer, a missing token is UNAUTHORIZED (API Gateway Developer Guide, "Gateway response
 * types"). With an Authorization header, API Gateway treats such a request as one that is signed
 * for AWS and rejects the signature; no method of ours requires one.
 */
const responses: readonly [ResponseType, GatewayProblem][] = [
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, routeNotFound],
  [ResponseType.INVALID_SIGNATURE, routeNotFound],
  [ResponseType.EXPIRED_TOKEN, routeNotFound],
  [ResponseType.RESOURCE_NOT_FOUND, routeNotFound],
  [ResponseType.UNAUTHORIZED, unauthenticated],
  [ResponseType.INVALID_API_KEY, unauthenticated],
  // The authorizer denies unknown tokens; the functions check the scopes.
  [ResponseType.ACCESS_DENIED, unauthenticated],
  [
    ResponseType.REQUEST_TOO_LARGE,
    { code: 'body_too_large', detail: `The maximum is ${bodyLimit}.` },
  ],
  // Functions reject media types themselves. Only the mock for 405 knows some alone, and its
  // response must be the same for all of them.
  [
    ResponseType.UNSUPPORTED_MEDIA_TYPE,
    { code: 'method_not_allowed', detail: 'This path does not support this method.' },
  ],
  [
    ResponseType.WAF_FILTERED,
    { code: 'request_blocked', detail: 'The firewall blocked the request.' },
  ],
  [ResponseType.BAD_REQUEST_BODY, invalidRequest],
  [ResponseType.BAD_REQUEST_PARAMETERS, invalidRequest],
  [ResponseType.THROTTLED, rateLimited],
  [ResponseType.QUOTA_EXCEEDED, rateLimited],
  [ResponseType.AUTHORIZER_FAILURE, unavailable],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, unavailable],
  [ResponseType.INTEGRATION_FAILURE, outcomeUnknown],
  [ResponseType.INTEGRATION_TIMEOUT, outcomeUnknown],
  [ResponseType.API_CONFIGURATION_ERROR, internalError],
  // Everything else, such as a request for an unknown path with a token that API Gateway takes for
  // an incomplete signature of AWS's.
  [ResponseType.DEFAULT_4XX, routeNotFound],
  [ResponseType.DEFAULT_5XX, internalError],
];

/** Gives every response that API Gateway makes by itself the shape of a problem of ours. */
export const addGatewayResponses = (api: RestApi): void => {
  for (const [type, { code, detail }] of responses) {
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(problems[code].status),
      responseHeaders: staticHeaders({
        ...problemHeaders(code),
        ...(code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
        ...(code === 'method_not_allowed' && { Allow: methodsEverywhere() }),
      }),
      templates: { 'application/json': problemTemplate(code, detail) },
    });
  }
};

/** A problem's body as a template that API Gateway fills in. */
export const problemTemplate = (code: ProblemCode, detail: string): string =>
  JSON.stringify(problemDetails(code, detail, '$context.requestId'));

/**
 * Headers as API Gateway expects them: literals in quotes, and the request's id for our own header.
 * What every response carries is among them.
 */
export const staticHeaders = (headers: Record<string, string>): Record<string, string> => ({
  'Request-Id': 'context.requestId',
  ...Object.fromEntries(
    Object.entries({ ...responseHeaders, ...headers }).map(([name, value]) => [name, `'${value}'`]),
  ),
});
