import { describe, expect, test } from 'vitest';
import { type Route, routes } from '../../functions/domain/routes.ts';
import {
  asText,
  calledId,
  developmentTemplate,
  functionsOf,
  mentioned,
  type Resource,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';
import { expectProblemTemplate } from './problem-template.ts';

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

  test('runs its own function, which gives up before the gateway does', () => {
    const [logicalId, lambda] = functionsOf(template).get(functionName) ?? [];
    const { Type, Uri, TimeoutInMillis = longestWaitMs } = found()?.properties.Integration ?? {};
    expect(Type).toBe('AWS_PROXY');
    expect(JSON.stringify(Uri)).toContain(`"${logicalId}"`);
    expect(TimeoutInMillis).toBeGreaterThan(lambda?.Properties.Timeout * 1000);
    expect(TimeoutInMillis).toBeLessThanOrEqual(longestWaitMs);
  });
});

test('the API has no methods but those of the routes and those that return 405', () => {
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
  test('rejects its other methods with 405 and the ones it has, without a function', () => {
    const any = methods().find((each) => each.method === 'ANY' && each.path === path);
    const { Type, IntegrationResponses, RequestTemplates } = any?.properties.Integration ?? {};
    const allowed = Object.values(routes)
      .filter((route) => route.path === path)
      .map(({ method }) => method)
      .sort();

    expect(any?.properties.AuthorizationType).toBe('NONE');
    expect(Type).toBe('MOCK');
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      expect(JSON.parse(RequestTemplates[type])).toEqual({ statusCode: 405 });
    }
    // Otherwise a body of another type would be read as the template's result, and end in a 500.
    expect(any?.properties.Integration.PassthroughBehavior).toBe('NEVER');
    expect(IntegrationResponses).toHaveLength(1);
    const [{ StatusCode, ResponseParameters, ResponseTemplates }] = IntegrationResponses;
    expect(StatusCode).toBe('405');
    expect(ResponseParameters).toEqual({
      'method.response.header.Allow': `'${allowed.join(', ')}'`,
      'method.response.header.Cache-Control': "'no-store'",
      'method.response.header.Content-Type': "'application/problem+json'",
      'method.response.header.Request-Id': 'context.requestId',
      'method.response.header.Strict-Transport-Security': "'max-age=63072000'",
      'method.response.header.X-Content-Type-Options': "'nosniff'",
    });
    expectProblemTemplate(ResponseTemplates['application/json'], 'method_not_allowed');
    const [declared] = any?.properties.MethodResponses ?? [];
    expect(declared.StatusCode).toBe('405');
    expect(Object.keys(declared.ResponseParameters).sort()).toEqual(
      Object.keys(ResponseParameters).sort(),
    );
  });
});

describe('the stage of the API', async () => {
  const settingsOf = (of: SynthesizedTemplate) =>
    resourceOf(of, 'AWS::ApiGateway::Stage')[1].Properties.MethodSettings;
  const [, { Properties, DependsOn }] = resourceOf(template, 'AWS::ApiGateway::Stage');
  const [api] = resourceOf(template, 'AWS::ApiGateway::RestApi');

  test('logs each request as JSON, without its token', () => {
    const { Format } = Properties.AccessLogSetting;
    expect(JSON.parse(Format)).toMatchObject({
      request_id: '$context.requestId',
      extended_request_id: '$context.extendedRequestId',
      authorizer_error: '$context.authorizer.error',
      integration_error: '$context.integration.error',
      user_agent: '$context.identity.userAgent',
      firewall: '$context.wafResponseCode',
    });
    // The header with the token is in no variable of API Gateway's; nothing but its id may carry
    // it.
    const rest = Format.replace('"token":"$context.authorizer.token_id"', '');
    expect(rest).not.toMatch(/authorization|header|token/i);
  });

  test('logs its own errors, without bodies, to a group that ends', () => {
    expect(settingsOf(template)).toEqual([
      expect.objectContaining({ LoggingLevel: 'ERROR', DataTraceEnabled: false }),
    ]);
    const [[group, logs] = []] = resourcesOf(template, 'AWS::Logs::LogGroup').filter(
      ([, { Properties: properties }]) => properties.LogGroupName,
    );
    // The name that API Gateway gives it ("Set up CloudWatch logging for REST APIs").
    expect(asText(logs?.Properties.LogGroupName)).toBe(`API-Gateway-Execution-Logs_\${${api}}/dev`);
    expect(logs?.Properties.RetentionInDays).toBe(7);
    // Before the first request, which would make one that keeps everything.
    expect(DependsOn).toContain(group);
  });
});

test('no browser of another site may call the API: nothing accepts preflights or allows an origin', () => {
  expect(methods().map(({ method }) => method)).not.toContain('OPTIONS');
  expect(JSON.stringify(template)).not.toMatch(/Access-Control-/i);
});

test.each([
  ['development', template],
  ['production', await templateOf(production)],
])(
  'in %s, the authorizer and the routes may be invoked by this API, where it calls them',
  (_, of) => {
    const permissions = resourcesOf(of, 'AWS::Lambda::Permission').map(([, { Properties }]) => ({
      principal: Properties.Principal,
      lambda: mentioned(Properties.FunctionName)[0],
      from: asText(Properties.SourceArn).replace(/^.*:\$\{AWS::AccountId\}:/, ''),
    }));
    const [api] = resourceOf(of, 'AWS::ApiGateway::RestApi');
    const [stage] = resourceOf(of, 'AWS::ApiGateway::Stage');
    const [authorizer] = resourceOf(of, 'AWS::ApiGateway::Authorizer');
    const permission = (functionName: string, from: string) => ({
      principal: 'apigateway.amazonaws.com',
      lambda: calledId(of, functionName),
      from: `\${${api}}/${from}`,
    });
    const expected = [
      permission('authorize', `authorizers/\${${authorizer}}`),
      ...Object.values(routes).map(({ functionName, method, path }) =>
        permission(functionName, `\${${stage}}/${method}${path.replace(/\{\w+\}/g, '*')}`),
      ),
    ];
    expect(permissions).toHaveLength(expected.length);
    expect(permissions).toEqual(expect.arrayContaining(expected));
  },
);
