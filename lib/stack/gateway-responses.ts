import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { bodyLimit } from '../../functions/domain/body-limit.ts';
import {
  type ProblemCode,
  problemDetails,
  problemHeaders,
  problems,
} from '../../functions/domain/problem.ts';
import { responseHeaders } from '../../functions/domain/response-headers.ts';
import { routes } from '../../functions/domain/routes.ts';
import { methodsEverywhere } from '../openapi/methods.ts';

/** What a problem says when API Gateway reports it by itself. */
export const gatewayDetails = {
  unauthenticated:
    'Send the header Authorization: Bearer <ACCESS_TOKEN> with a token that has neither expired nor been revoked.',
  route_not_found: `Nothing is at this path. There are ${Object.values(routes)
    .map(({ method, path }) => `${method} ${path}`)
    .join(', ')}.`,
  // Functions reject media types themselves. Only the mock for 405 knows some alone, and its
  // response must be the same for all of them.
  method_not_allowed: 'This path does not support this method.',
  body_too_large: `The maximum is ${bodyLimit}.`,
  request_blocked: 'The firewall blocked the request.',
  invalid_request: 'The request cannot be understood.',
  rate_limited: 'Wait, then try again.',
  // The authorizer failed, so that no function was called. AUTHORIZER_CONFIGURATION_ERROR is
  // "failing to connect to" it ("Gateway response types"), which experiments saw for an error that
  // it throws, and for a response that is no policy (serverless/examples#305).
  unavailable:
    'The access token cannot be verified now. Nothing was changed. Send the request again.',
  outcome_unknown:
    'No response came in time. Send a GET again, and a POST with its Idempotency-Key: it takes effect once. Check whether a POST without a key took effect before you send it again: it may take effect twice.',
  internal_error: 'Report the request_id to the operators of this service.',
} as const satisfies Partial<Record<ProblemCode, string>>;

/**
 * The responses that API Gateway makes by itself, in the words that our functions use: all of its
 * types, because the status of a default would become that of every type left out.
 *
 * MISSING_AUTHENTICATION_TOKEN is its response to a path that does not exist: with a Lambda
 * authorizer, a missing token is UNAUTHORIZED (API Gateway Developer Guide, "Gateway response
 * types"). With an Authorization header, API Gateway treats such a request as one that is signed
 * for AWS and rejects the signature; no method of ours requires one.
 */
const responses: readonly [ResponseType, keyof typeof gatewayDetails][] = [
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'route_not_found'],
  [ResponseType.INVALID_SIGNATURE, 'route_not_found'],
  [ResponseType.EXPIRED_TOKEN, 'route_not_found'],
  [ResponseType.RESOURCE_NOT_FOUND, 'route_not_found'],
  [ResponseType.UNAUTHORIZED, 'unauthenticated'],
  [ResponseType.INVALID_API_KEY, 'unauthenticated'],
  // The authorizer denies unknown tokens; the functions check the scopes.
  [ResponseType.ACCESS_DENIED, 'unauthenticated'],
  [ResponseType.REQUEST_TOO_LARGE, 'body_too_large'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'method_not_allowed'],
  [ResponseType.WAF_FILTERED, 'request_blocked'],
  [ResponseType.BAD_REQUEST_BODY, 'invalid_request'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'invalid_request'],
  [ResponseType.THROTTLED, 'rate_limited'],
  [ResponseType.QUOTA_EXCEEDED, 'rate_limited'],
  [ResponseType.AUTHORIZER_FAILURE, 'unavailable'],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, 'unavailable'],
  [ResponseType.INTEGRATION_FAILURE, 'outcome_unknown'],
  [ResponseType.INTEGRATION_TIMEOUT, 'outcome_unknown'],
  [ResponseType.API_CONFIGURATION_ERROR, 'internal_error'],
  // Everything else, such as a request for an unknown path with a token that API Gateway takes for
  // an incomplete signature of AWS's.
  [ResponseType.DEFAULT_4XX, 'route_not_found'],
  [ResponseType.DEFAULT_5XX, 'internal_error'],
];

/** Gives every response that API Gateway makes by itself the shape of a problem of ours. */
export const addGatewayResponses = (api: RestApi): void => {
  for (const [type, code] of responses) {
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(problems[code].status),
      responseHeaders: staticHeaders({
        ...problemHeaders(code),
        ...(code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
        ...(code === 'method_not_allowed' && { Allow: methodsEverywhere() }),
      }),
      templates: { 'application/json': problemTemplate(code, gatewayDetails[code]) },
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
