import { z } from 'zod';
import { functionName, region } from '../aws-account.ts';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { Resource, TemplateReader } from '../cloudformation/template-reader.ts';
import type { AuthorizerDefinition } from './authorizer.ts';
import type { ApiIdentity, RoutedTo } from './gateway-request.ts';
import { type GatewayResponses, readGatewayResponses } from './gateway-responses.ts';
import type { LambdaProxyDefinition } from './lambda-proxy.ts';
import { MockIntegration, mockIntegration } from './mock-integration.ts';
import { compileRoutes, pathPart } from './routes.ts';
import { Throttle } from './throttle.ts';

const RestApiProperties = z.strictObject({
  Description: withoutEffect,
  DisableExecuteApiEndpoint: withoutEffect,
  EndpointAccessMode: withoutEffect,
  EndpointConfiguration: withoutEffect,
  Name: withoutEffect,
  SecurityPolicy: withoutEffect,
});

const restApiShape: ResourceShape<z.infer<typeof RestApiProperties>> = {
  type: 'AWS::ApiGateway::RestApi',
  schema: RestApiProperties,
};

const ResourceProperties = z.strictObject({
  ParentId: z.string(),
  PathPart: z.string().regex(pathPart),
  RestApiId: withoutEffect,
});

const resourceShape: ResourceShape<z.infer<typeof ResourceProperties>> = {
  type: 'AWS::ApiGateway::Resource',
  schema: ResourceProperties,
};

/** `arn:aws:apigateway:…:lambda:path/2015-03-31/functions/<function arn>/invocations` */
const FunctionUri = z
  .string()
  .regex(/\/functions\/.+\/invocations$/, {
    error: ({ input }) => `must be the URI by which a function is invoked, not ${input}`,
  })
  .transform((uri) => functionName(uri.split('/functions/')[1]?.split('/')[0] ?? ''));

const LambdaProxy = z.strictObject({
  Type: z.literal('AWS_PROXY'),
  Uri: FunctionUri,
  IntegrationHttpMethod: withoutEffect,
});

const MethodProperties = z.strictObject({
  HttpMethod: z.string(),
  ResourceId: z.string(),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']),
  AuthorizerId: z.string().optional(),
  Integration: z.discriminatedUnion('Type', [LambdaProxy, MockIntegration]),
  // Deploying fails if an integration response sets what the method response does not declare.
  MethodResponses: withoutEffect,
  RestApiId: withoutEffect,
});

const methodShape: ResourceShape<z.infer<typeof MethodProperties>> = {
  type: 'AWS::ApiGateway::Method',
  schema: MethodProperties,
};

const AuthorizerProperties = z.strictObject({
  Type: z.literal('TOKEN'),
  AuthorizerUri: FunctionUri,
  IdentitySource: z.literal('method.request.header.Authorization'),
  IdentityValidationExpression: z.string().optional(),
  AuthorizerResultTtlInSeconds: z.number().default(300),
  Name: withoutEffect,
  RestApiId: withoutEffect,
});

const authorizerShape: ResourceShape<z.infer<typeof AuthorizerProperties>> = {
  type: 'AWS::ApiGateway::Authorizer',
  schema: AuthorizerProperties,
};

const StageProperties = z.strictObject({
  StageName: z.string(),
  /** The settings of all methods together. */
  MethodSettings: z
    .array(
      z.strictObject({
        HttpMethod: z.literal('*'),
        ResourcePath: z.literal('/*'),
        ThrottlingRateLimit: z.number(),
        ThrottlingBurstLimit: z.number(),
        DataTraceEnabled: withoutEffect,
        LoggingLevel: withoutEffect,
        MetricsEnabled: withoutEffect,
      }),
    )
    .default([]),
  AccessLogSetting: withoutEffect,
  DeploymentId: withoutEffect,
  RestApiId: withoutEffect,
  TracingEnabled: withoutEffect,
});

const stageShape: ResourceShape<z.infer<typeof StageProperties>> = {
  type: 'AWS::ApiGateway::Stage',
  schema: StageProperties,
};

/** A method of a resource, and what answers it. */
export interface Method extends RoutedTo {
  /** The logical id of the authorizer, if the method has one. */
  readonly authorizer: string | undefined;
  readonly integration: LambdaProxyDefinition | ReturnType<typeof mockIntegration>;
  /** A bucket of the method's own, though every method takes its limits from the stage. */
  readonly throttle: Throttle | undefined;
}

/** The stack's REST API with everything that can be worked out before the first request. */
export interface RestApi {
  readonly identity: ApiIdentity;
  /** For the path of a request the methods of its resource, by HTTP method or `ANY`. */
  readonly route: ReturnType<typeof compileRoutes<ReadonlyMap<string, Method>>>;
  /** By logical id. */
  readonly authorizers: ReadonlyMap<string, AuthorizerDefinition>;
  readonly gatewayResponses: GatewayResponses;
  /** The base URL on AWS, which ends with the stage. */
  readonly awsUrl: string;
}

/** Reads the template's REST API, with its one stage. */
export const readRestApi = (reader: TemplateReader): RestApi => {
  const api = readOne(reader, restApiShape);
  const stage = readOne(reader, stageShape)?.properties;
  const apiId = api ? String(reader.resolve({ Ref: api.logicalId })) : '';
  const { StageName = '', MethodSettings: [settings] = [] } = stage ?? {};
  const newThrottle = () =>
    settings && new Throttle(settings.ThrottlingRateLimit, settings.ThrottlingBurstLimit);
  return {
    identity: { apiId, stage: StageName },
    route: compileRoutes(readMethods(reader, newThrottle)),
    authorizers: readAuthorizers(reader),
    gatewayResponses: readGatewayResponses(reader),
    awsUrl: `https://${apiId}.execute-api.${region}.amazonaws.com/${StageName}`,
  };
};

const readAuthorizers = (reader: TemplateReader): Map<string, AuthorizerDefinition> =>
  new Map(
    reader.make(authorizerShape, ({ logicalId, properties }) => {
      const { AuthorizerUri, IdentityValidationExpression: pattern } = properties;
      return [
        logicalId,
        {
          functionName: AuthorizerUri,
          tokenPattern: pattern === undefined ? undefined : new RegExp(pattern),
          cacheMs: properties.AuthorizerResultTtlInSeconds * 1000,
        },
      ];
    }),
  );

/** By resource path and HTTP method. */
const readMethods = (
  reader: TemplateReader,
  newThrottle: () => Throttle | undefined,
): Map<string, Map<string, Method>> => {
  const paths = resourcePaths(reader.read(resourceShape));
  const methods = reader.make(methodShape, ({ properties }) => {
    const { HttpMethod, ResourceId, AuthorizationType, AuthorizerId, Integration } = properties;
    const method: Method = {
      resourceId: ResourceId,
      // A parent that is not the id of a resource is the root, whose id is generated here.
      resourcePath: paths.get(ResourceId) ?? '/',
      authorizer: AuthorizationType === 'CUSTOM' ? AuthorizerId : undefined,
      throttle: newThrottle(),
      integration:
        Integration.Type === 'AWS_PROXY'
          ? { functionName: Integration.Uri }
          : mockIntegration(Integration),
    };
    return [HttpMethod, method] as const;
  });
  const byPath = Map.groupBy(methods, ([, { resourcePath }]) => resourcePath);
  return new Map([...byPath].map(([path, siblings]) => [path, new Map(siblings)]));
};

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

/** The one resource of a type. */
const readOne = <Properties>(
  reader: TemplateReader,
  shape: ResourceShape<Properties>,
): Resource<Properties> | undefined => {
  const found = reader.read(shape);
  if (found.length !== 1) reader.reject(shape.type, `there must be one, not ${found.length}`);
  return found[0];
};
