import { describe, expect, test } from 'vitest';
import { type ProblemCode, problemHeaders, problems } from '../../functions/domain/problem.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import {
  developmentTemplate,
  functionsOf,
  type Resource,
  resourcesOf,
} from '../support/synthesized.ts';

const template = developmentTemplate();

/** API Gateway's default and most ("Amazon API Gateway quotas", integration timeout). */
const longestWaitMs = 29_000;

interface Method {
  readonly method: string;
  readonly path: string;
  readonly properties: Resource['Properties'];
}

/** The methods of the API with the paths that their resources make up. */
const methods = (): Method[] => {
  const resources = new Map(resourcesOf(template, 'AWS::ApiGateway::Resource'));
  const pathOf = (id: { Ref?: string }): string => {
    const resource = resources.get(id.Ref ?? '');
    if (!resource) return '';
    const { ParentId, PathPart } = resource.Properties;
    return `${pathOf(ParentId)}/${PathPart}`;
  };
  return resourcesOf(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => ({
    method: Properties.HttpMethod,
    path: pathOf(Properties.ResourceId),
    properties: Properties,
  }));
};

describe.each<Route>(Object.values(routes))('$method $path', ({ method, path, functionName }) => {
  const found = () => methods().find((each) => each.method === method && each.path === path);

  test('is a method that asks the authorizer', () => {
    const [authorizer] = resourcesOf(template, 'AWS::ApiGateway::Authorizer')[0] ?? [];
    expect(found()?.properties).toMatchObject({
      AuthorizationType: 'CUSTOM',
      AuthorizerId: { Ref: authorizer },
    });
  });

  test('runs its own function, which gives up before the gateway does', () => {
    const [logicalId, lambda] = functionsOf(template).get(functionName) ?? [];
    const { Type, Uri, TimeoutInMillis = longestWaitMs } = found()?.properties.Integration ?? {};
    expect(Type).toBe('AWS_PROXY');
    expect(JSON.stringify(Uri)).toContain(`"${logicalId}"`);
    expect(TimeoutInMillis).toBeGreaterThan(lambda?.Properties.Timeout * 1000);
    expect(TimeoutInMillis).toBeLessThanOrEqual(longestWaitMs);
  });
});

test('there are no methods but those of the routes and those that say 405', () => {
  const expected = Object.values(routes).flatMap(({ method, path }) => [
    `${method} ${path}`,
    `ANY ${path}`,
  ]);
  expect(
    methods()
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  ).toEqual([...new Set(expected)].sort());
});

describe.each([...new Set(Object.values(routes).map(({ path }) => path))])('%s', (path) => {
  test('answers its other methods with 405 and the ones it has, without a function', () => {
    const any = methods().find((each) => each.method === 'ANY' && each.path === path);
    const { Type, IntegrationResponses, RequestTemplates } = any?.properties.Integration ?? {};
    const allowed = Object.values(routes)
      .filter((route) => route.path === path)
      .map(({ method }) => method)
      .sort();

    expect(any?.properties.AuthorizationType).toBe('NONE');
    expect(Type).toBe('MOCK');
    expect(JSON.parse(RequestTemplates['application/json'])).toEqual({ statusCode: 405 });
    expect(IntegrationResponses).toHaveLength(1);
    const [{ StatusCode, ResponseParameters, ResponseTemplates }] = IntegrationResponses;
    expect(StatusCode).toBe('405');
    expect(ResponseParameters).toEqual({
      'method.response.header.Allow': `'${allowed.join(', ')}'`,
      'method.response.header.Content-Type': "'application/problem+json'",
      'method.response.header.Request-Id': 'context.requestId',
    });
    expectProblemTemplate(ResponseTemplates['application/json'], 'method_not_allowed');
    const [declared] = any?.properties.MethodResponses ?? [];
    expect(declared.StatusCode).toBe('405');
    expect(Object.keys(declared.ResponseParameters).sort()).toEqual(
      Object.keys(ResponseParameters).sort(),
    );
  });
});

describe('what API Gateway answers by itself', () => {
  const responses = () =>
    new Map(
      resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
        String(Properties.ResponseType),
        Properties,
      ]),
    );

  const expected: Record<string, ProblemCode> = {
    ACCESS_DENIED: 'insufficient_scope',
    AUTHORIZER_FAILURE: 'unavailable',
    EXPIRED_TOKEN: 'unauthenticated',
    INTEGRATION_FAILURE: 'unavailable',
    INTEGRATION_TIMEOUT: 'unavailable',
    INVALID_API_KEY: 'unauthenticated',
    INVALID_SIGNATURE: 'unauthenticated',
    MISSING_AUTHENTICATION_TOKEN: 'route_not_found',
    QUOTA_EXCEEDED: 'rate_limited',
    REQUEST_TOO_LARGE: 'body_too_large',
    RESOURCE_NOT_FOUND: 'route_not_found',
    THROTTLED: 'rate_limited',
    UNAUTHORIZED: 'unauthenticated',
    UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
    DEFAULT_4XX: 'invalid_request',
    DEFAULT_5XX: 'internal_error',
  };

  test('is of these types: two of them stand for all that are not named', () => {
    expect([...responses().keys()].sort()).toEqual(Object.keys(expected).sort());
  });

  test.each(Object.entries(expected))('to %s is %s', (type, code) => {
    const { StatusCode, ResponseTemplates, ResponseParameters } = responses().get(type) ?? {};

    expect(StatusCode).toBe(String(problems[code].status));
    expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
    expectProblemTemplate(ResponseTemplates['application/json'], code);
    const headers = {
      ...problemHeaders(code),
      ...(code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
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
});

/** JSON whose one variable is the request's id, since nothing else is replaced in it. */
const expectProblemTemplate = (text: string, code: ProblemCode) => {
  expect(JSON.parse(text)).toEqual({
    type: `urn:workforce-payments:problem:${code}`,
    title: problems[code].title,
    status: problems[code].status,
    detail: expect.stringMatching(/\.$/),
    code,
    request_id: '$context.requestId',
  });
  expect(text.replace('$context.requestId', '')).not.toMatch(/[$#]/);
};

describe('the authorizer', () => {
  const properties = () =>
    resourcesOf(template, 'AWS::ApiGateway::Authorizer')[0]?.[1].Properties ?? {};

  test('reads the Authorization header, and is asked again after a minute', () => {
    const [logicalId] = functionsOf(template).get('authorize') ?? [];
    expect(properties()).toMatchObject({
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 60,
    });
    expect(JSON.stringify(properties().AuthorizerUri)).toContain(`"${logicalId}"`);
  });

  test('is only asked about what may be a token', () => {
    const pattern = new RegExp(properties().IdentityValidationExpression);
    const opaque = 'x'.repeat(43);
    for (const header of [`Bearer wfp_live_${opaque}`, `bearer  wfp_test_${opaque}`]) {
      expect(header).toMatch(pattern);
    }
    for (const header of [
      '',
      'Bearer',
      `Basic wfp_live_${opaque}`,
      `wfp_live_${opaque}`,
      `Bearer wfp_prod_${opaque}`,
      `Bearer wfp_live_${opaque}x`,
      `Bearer wfp_live_${opaque} `,
      `Bearerwfp_live_${opaque}`,
    ]) {
      expect(header).not.toMatch(pattern);
    }
  });
});

test('the stage is throttled and logs each request as JSON with its id', () => {
  const [[, stage] = []] = resourcesOf(template, 'AWS::ApiGateway::Stage');
  expect(stage?.Properties.MethodSettings).toEqual([
    expect.objectContaining({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 }),
  ]);
  const format = stage?.Properties.AccessLogSetting.Format;
  expect(JSON.parse(format)).toMatchObject({ requestId: '$context.requestId' });
});
