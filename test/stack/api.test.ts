import { describe, expect, test } from 'vitest';
import { type Route, routes } from '../../functions/domain/routes.ts';
import {
  asText,
  developmentTemplate,
  functionsOf,
  resourceOf,
  resourcesOf,
} from '../support/read-template.ts';

const template = developmentTemplate();

/** API Gateway's default and most ("Amazon API Gateway quotas", integration timeout). */
const longestWaitMs = 29_000;

/** The methods of the API with the paths that their resources make up. */
const methods = () => {
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

test.each<Route>(Object.values(routes))(
  '$method $path runs its own function, which gives up before the gateway does',
  ({ method, path, functionName }) => {
    const found = methods().find((each) => each.method === method && each.path === path);
    const [logicalId, lambda] = functionsOf(template).get(functionName) ?? [];
    const { Type, Uri, TimeoutInMillis = longestWaitMs } = found?.properties.Integration ?? {};
    expect(Type).toBe('AWS_PROXY');
    expect(JSON.stringify(Uri)).toContain(`"${logicalId}"`);
    expect(TimeoutInMillis).toBeGreaterThan(lambda?.Properties.Timeout * 1000);
    expect(TimeoutInMillis).toBeLessThanOrEqual(longestWaitMs);
  },
);

test('what returns 405 takes no token and no function, and a body of any type', () => {
  const rejecting = methods().filter(({ method }) => method === 'ANY');
  expect(rejecting).toHaveLength(new Set(Object.values(routes).map(({ path }) => path)).size);
  for (const { properties } of rejecting) {
    expect(properties).toMatchObject({
      AuthorizationType: 'NONE',
      // Otherwise a body of another type would be read as the template's result, and end in a 500.
      Integration: { Type: 'MOCK', PassthroughBehavior: 'NEVER' },
    });
  }
});

describe('the stage of the API', () => {
  const [, { Properties, DependsOn }] = resourceOf(template, 'AWS::ApiGateway::Stage');

  test('logs no token', () => {
    // The header with the token is in no variable of API Gateway's; nothing but its id may carry
    // it.
    const { Format } = Properties.AccessLogSetting;
    const rest = Format.replace('"token":"$context.authorizer.token_id"', '');
    expect(rest).not.toMatch(/authorization|header|token/i);
  });

  test('has the group of its own errors before a request, which would make one that keeps all', () => {
    // The name that API Gateway gives it ("Set up CloudWatch logging for REST APIs").
    const [[group] = []] = resourcesOf(template, 'AWS::Logs::LogGroup').filter(([, logs]) =>
      asText(logs.Properties.LogGroupName).startsWith('API-Gateway-Execution-Logs_'),
    );
    expect(DependsOn).toContain(group);
  });
});

test('no browser of another site may call the API: nothing accepts preflights or allows an origin', () => {
  expect(methods().map(({ method }) => method)).not.toContain('OPTIONS');
  expect(JSON.stringify(template)).not.toMatch(/Access-Control-/i);
});
