import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { expect, test } from 'vitest';
import { type ProblemCode, problemHeaders, problems } from '../../functions/domain/problem.ts';
import { methodsEverywhere } from '../../lib/openapi/methods.ts';
import { developmentTemplate, resourcesOf } from '../support/read-template.ts';

const responses = new Map(
  resourcesOf(developmentTemplate(), 'AWS::ApiGateway::GatewayResponse').map(
    ([, { Properties }]) => [String(Properties.ResponseType), Properties],
  ),
);

/** All that API Gateway responds by itself (its Developer Guide, "Gateway response types"). */
const expected: Record<string, ProblemCode> = {
  // The authorizer denies unknown tokens.
  ACCESS_DENIED: 'unauthenticated',
  API_CONFIGURATION_ERROR: 'internal_error',
  AUTHORIZER_CONFIGURATION_ERROR: 'unavailable',
  AUTHORIZER_FAILURE: 'unavailable',
  BAD_REQUEST_BODY: 'invalid_request',
  BAD_REQUEST_PARAMETERS: 'invalid_request',
  DEFAULT_4XX: 'route_not_found',
  DEFAULT_5XX: 'internal_error',
  // With a token, API Gateway treats an unknown path as one that requires a signature of AWS.
  EXPIRED_TOKEN: 'route_not_found',
  // The function may have done its work.
  INTEGRATION_FAILURE: 'outcome_unknown',
  INTEGRATION_TIMEOUT: 'outcome_unknown',
  INVALID_API_KEY: 'unauthenticated',
  INVALID_SIGNATURE: 'route_not_found',
  MISSING_AUTHENTICATION_TOKEN: 'route_not_found',
  QUOTA_EXCEEDED: 'rate_limited',
  REQUEST_TOO_LARGE: 'body_too_large',
  RESOURCE_NOT_FOUND: 'route_not_found',
  THROTTLED: 'rate_limited',
  UNAUTHORIZED: 'unauthenticated',
  // Only the mock that returns 405 looks at media types.
  UNSUPPORTED_MEDIA_TYPE: 'method_not_allowed',
  WAF_FILTERED: 'request_blocked',
};

test('the template has every type of gateway response that the CDK knows, so that no default decides its status', () => {
  const known = Object.values(ResponseType).flatMap((type) =>
    type instanceof ResponseType ? [type.responseType] : [],
  );
  for (const types of [known, [...responses.keys()]]) {
    expect(types.sort()).toEqual(Object.keys(expected).sort());
  }
});

test.each(Object.entries(expected))('the gateway responds to %s with problem %s', (type, code) => {
  const { StatusCode, ResponseTemplates, ResponseParameters } = responses.get(type) ?? {};

  expect(StatusCode).toBe(String(problems[code].status));
  expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
  const text: string = ResponseTemplates['application/json'];
  expect(JSON.parse(text)).toEqual({
    type: `urn:workforce-payments:problem:${code}`,
    title: problems[code].title,
    status: problems[code].status,
    detail: expect.stringMatching(/\.$/),
    code,
    request_id: '$context.requestId',
  });
  // Nothing else is replaced in it.
  expect(text.replace('$context.requestId', '')).not.toMatch(/[$#]/);
  const headers = {
    ...problemHeaders(code),
    ...(code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
    // A gateway response does not know the path of the request.
    ...(code === 'method_not_allowed' && { Allow: methodsEverywhere() }),
    'Cache-Control': 'no-store',
    'Strict-Transport-Security': 'max-age=63072000',
    'X-Content-Type-Options': 'nosniff',
  };
  expect(ResponseParameters).toEqual({
    'gatewayresponse.header.Request-Id': 'context.requestId',
    ...Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        `gatewayresponse.header.${name}`,
        `'${value}'`,
      ]),
    ),
  });
});
