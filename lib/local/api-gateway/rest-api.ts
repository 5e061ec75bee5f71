import { z } from 'zod';
import { region } from '../aws-account.ts';
import { functionName } from '../lambda/functions.ts';
import type { ResourceShape } from '../template/honoured.ts';
import type { Resource, Template } from '../template/template.ts';
import type { AuthorizerDefinition } from './authorizer.ts';
import type { ApiIdentity, RoutedTo } from './gateway-request.ts';
import { type GatewayResponses, readGatewayResponses } from './gateway-responses.ts';
import type { LambdaProxyDefinition } from './lambda-proxy.ts';
import { type MockDefinition, mockIntegration } from './mock-integration.ts';
import { RouteTree } from './route-tree.ts';
import { Throttle } from './throttle.ts';

const RestApiProperties = z.object({ BinaryMediaTypes: z.array(z.string()).default([]) });

const restApiShape: ResourceShape<z.infer<typeof RestApiProperties>> = {
  type: 'AWS::ApiGateway::RestApi',
  honoured: RestApiProperties,
  withoutEffect: [
    'Description',
    'DisableExecuteApiEndpoint',
    'EndpointAccessMode',
    'EndpointConfiguration',
    'FailOnWarnings',
    'Name',
    'SecurityPolicy',
    'Tags',
  ],
};

const ResourceProperties = z.object({ ParentId: z.string(), PathPart: z.string() });

const resourceShape: ResourceShape<z.infer<typeof ResourceProperties>> = {
  type: 'AWS::ApiGateway::Resource',
  honoured: ResourceProperties,
  withoutEffect: ['RestApiId'],
};

/** `arn:aws:apigateway:…:lambda:path/2015-03-31/functions/<function arn>/invocations` */
const FunctionUri = z
  .string()
  .regex(/\/functions\/.+\/invocations$/, {
    error: ({ input }) => `must be the URI by which a function is invoked, not ${input}`,
  })
  .transform((uri) => functionName(uri.split('/functions/')[1]?.split('/')[0] ?? ''));

const LambdaProxy = z.object({
  Type: z.literal('AWS_PROXY'),
  Uri: FunctionUri,
  // The longest that an integration of a regional API may take without a raised quota.
  TimeoutInMillis: z.number().default(29_000),
});

const Mock = z.object({
  Type: z.literal('MOCK'),
  PassthroughBehavior: z.enum(['WHEN_NO_MATCH', 'NEVER']).default('WHEN_NO_MATCH'),
  RequestTemplates: z.record(z.string(), z.string()).default({}),
  IntegrationResponses: z
    .array(
      z.object({
        StatusCode: z.string(),
        SelectionPattern: z.string().optional(),
        ResponseParameters: z.record(z.string(), z.string()).default({}),
        ResponseTemplates: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
});

const MethodProperties = z.object({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']).default('NONE'),
  AuthorizerId: z.string().optional(),
  // The CDK writes it even when there is nothing to require; `true` is dropped, and so reported.
  ApiKeyRequired: z.literal(false).optional().catch(undefined),
  Integration: z.discriminatedUnion('Type', [LambdaProxy, Mock]),
});

const methodShape: ResourceShape<z.infer<typeof MethodProperties>> = {
  type: 'AWS::ApiGateway::Method',
  honoured: MethodProperties,
  withoutEffect: [
    'Integration.ConnectionType',
    'Integration.Credentials',
    'Integration.IntegrationHttpMethod',
    // Deploying fails if an integration response sets what the method response does not declare.
    'MethodResponses',
    'OperationName',
    'RestApiId',
  ],
};

const AuthorizerProperties = z.object({
  Type: z.enum(['TOKEN', 'REQUEST']),
  AuthorizerUri: FunctionUri,
  IdentitySource: z.string().default(''),
  IdentityValidationExpression: z.string().optional(),
  AuthorizerResultTtlInSeconds: z.number().default(300),
});

const authorizerShape: ResourceShape<z.infer<typeof AuthorizerProperties>> = {
  type: 'AWS::ApiGateway::Authorizer',
  honoured: AuthorizerProperties,
  withoutEffect: ['AuthorizerCredentials', 'AuthType', 'Name', 'RestApiId'],
};

const StageProperties = z.object({
  StageName: z.string().default('default'),
  Variables: z.record(z.string(), z.string()).default({}),
  MethodSettings: z
    .array(
      z.object({
        HttpMethod: z.string(),
        ResourcePath: z.string(),
        ThrottlingRateLimit: z.number().optional(),
        ThrottlingBurstLimit: z.number().optional(),
      }),
    )
    .default([]),
});

type StageProperties = z.infer<typeof StageProperties>;

const stageShape: ResourceShape<StageProperties> = {
  type: 'AWS::ApiGateway::Stage',
  honoured: StageProperties,
  withoutEffect: [
    'AccessLogSetting',
    'DeploymentId',
    'Description',
    'MethodSettings.DataTraceEnabled',
    'MethodSettings.LoggingLevel',
    'MethodSettings.MetricsEnabled',
    'RestApiId',
    'Tags',
    'TracingEnabled',
  ],
};

/** A method of a resource, and what answers it. */
export interface Method extends RoutedTo {
  /** The logical id of the authorizer, if the method has one. */
  readonly authorizer: string | undefined;
  readonly integration: LambdaProxyDefinition | ReturnType<typeof mockIntegration>;
  readonly throttle: Throttle | undefined;
}

/** The stack's REST API with everything that can be worked out before the first request. */
export interface RestApi {
  readonly identity: ApiIdentity;
  /** For each resource its methods, by HTTP method or `ANY`. */
  readonly routes: RouteTree<Map<string, Method>>;
  /** By logical id. */
  readonly authorizers: ReadonlyMap<string, AuthorizerDefinition>;
  readonly gatewayResponses: GatewayResponses;
  /** The base URL on AWS, which ends with the stage. */
  readonly awsUrl: string;
}

/** Reads the template's REST API, if it has one: at most one can run, with one stage. */
export const readRestApi = (template: Template): RestApi | undefined => {
  const api = only(template, restApiShape);
  if (api === undefined) return undefined;
  const found = only(template, stageShape);
  if (found === undefined) template.refuse(api.logicalId, 'has no stage that can run');
  const stage = found?.properties ?? StageProperties.parse({});
  const apiId = String(template.resolve({ Ref: api.logicalId }));
  return {
    identity: { apiId, stage: stage.StageName, stageVariables: stage.Variables },
    routes: readRoutes(template, stage, api.properties.BinaryMediaTypes),
    authorizers: readAuthorizers(template),
    gatewayResponses: readGatewayResponses(template),
    awsUrl: `https://${apiId}.execute-api.${region}.amazonaws.com/${stage.StageName}`,
  };
};

const readAuthorizers = (template: Template): Map<string, AuthorizerDefinition> =>
  new Map(
    template.make(authorizerShape, ({ logicalId, properties }) => {
      const { IdentitySource, IdentityValidationExpression } = properties;
      return [
        logicalId,
        {
          type: properties.Type,
          functionName: properties.AuthorizerUri,
          identitySources: IdentitySource.split(',')
            .map((source) => source.trim())
            .filter((source) => source !== ''),
          tokenPattern:
            IdentityValidationExpression === undefined
              ? undefined
              : new RegExp(IdentityValidationExpression),
          cacheMs: properties.AuthorizerResultTtlInSeconds * 1000,
        },
      ];
    }),
  );

const readRoutes = (
  template: Template,
  stage: StageProperties,
  binaryMediaTypes: readonly string[],
): RouteTree<Map<string, Method>> => {
  const paths = resourcePaths(template.read(resourceShape));
  const methods = new Map<string, Map<string, Method>>();
  for (const { logicalId, properties } of template.read(methodShape)) {
    const { HttpMethod, ResourceId, Integration } = properties;
    // A parent that is not the id of a resource is the root, whose id is generated here.
    const resourcePath = paths.get(ResourceId) ?? '/';
    const method: Method = {
      resourceId: ResourceId,
      resourcePath,
      authorizer: properties.AuthorizationType === 'CUSTOM' ? properties.AuthorizerId : undefined,
      throttle: throttle(stage, resourcePath, HttpMethod),
      integration:
        Integration.Type === 'AWS_PROXY'
          ? {
              functionName: Integration.Uri,
              timeoutMs: Integration.TimeoutInMillis,
              binaryMediaTypes,
            }
          : readMock(template, logicalId, Integration),
    };
    const siblings = methods.get(resourcePath) ?? new Map<string, Method>();
    methods.set(resourcePath, siblings.set(HttpMethod, method));
  }
  const routes = new RouteTree<Map<string, Method>>();
  for (const [path, siblings] of methods) routes.add(path, siblings);
  return routes;
};

const readMock = (
  template: Template,
  logicalId: string,
  integration: MockDefinition,
): ReturnType<typeof mockIntegration> =>
  mockIntegration(integration, (token) =>
    template.report(`${token} in a template of ${logicalId} (${methodShape.type})`),
  );

const resourcePaths = (
  resources: readonly Resource<z.infer<typeof ResourceProperties>>[],
): Map<string, string> => {
  const byId = new Map(resources.map(({ logicalId, properties }) => [logicalId, properties]));
  const path = (id: string): string => {
    const resource = byId.get(id);
    return resource === undefined ? '' : `${path(resource.ParentId)}/${resource.PathPart}`;
  };
  return new Map(resources.map(({ logicalId }) => [logicalId, path(logicalId)]));
};

/**
 * The settings of the method itself before those of all methods. Each method has a bucket of its
 * own, even when it takes its limits from the settings of all. Slashes in a setting's path are
 * written ~1.
 */
const throttle = (stage: StageProperties, path: string, method: string): Throttle | undefined => {
  const wanted = [`/${path.replaceAll('/', '~1')} ${method}`, '/* *'];
  const settings = wanted
    .map((key) => stage.MethodSettings.find((s) => `${s.ResourcePath} ${s.HttpMethod}` === key))
    .find((setting) => setting?.ThrottlingRateLimit !== undefined);
  if (settings?.ThrottlingRateLimit === undefined) return undefined;
  const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst = rate } = settings;
  return new Throttle(rate, burst);
};

/** The resource of a type, of which only one can run. */
const only = <Properties>(
  template: Template,
  shape: ResourceShape<Properties>,
): Resource<Properties> | undefined => {
  const [first, ...others] = template.read(shape);
  if (first === undefined) return undefined;
  for (const { logicalId } of others) {
    template.refuse(logicalId, `is a second ${shape.type}, beside ${first.logicalId}; one can run`);
  }
  return first;
};
