import { functionName } from '../aws-account.ts';
import type { Resource, Template } from '../cloudformation/template.ts';
import type { AuthorizerDefinition } from './authorizer.ts';
import { type GatewayError, responseTypes } from './gateway-error.ts';

/** A response of the gateway, from a function or its own. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Rendering = (requestId: string) => HttpResponse;

/** A mock integration with one response ("Mock integrations for REST APIs in API Gateway"). */
export interface MockIntegration {
  /** Of the bodies that it takes. */
  readonly mediaTypes: readonly string[];
  readonly render: Rendering;
}

export interface Method {
  readonly resourcePath: string;
  /** The logical id of the authorizer, if the method has one. */
  readonly authorizer: string | undefined;
  readonly integration: { readonly functionName: string } | MockIntegration;
}

export interface RouteMatch {
  /** By HTTP method or `ANY`. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** The stack's REST API with everything that can be worked out before the first request. */
export interface RestApi {
  readonly apiId: string;
  readonly stage: string;
  readonly route: (path: string) => RouteMatch | undefined;
  /** By logical id. */
  readonly authorizers: ReadonlyMap<string, AuthorizerDefinition>;
  readonly gatewayResponses: ReadonlyMap<GatewayError['responseType'], Rendering>;
}

/** Reads the template's REST API, with its one stage. */
export const readRestApi = (template: Template): RestApi => {
  const [apiId = ''] = template.read('AWS::ApiGateway::RestApi', ({ logicalId }) =>
    String(template.resolve({ Ref: logicalId })),
  );
  const [stage = ''] = template.read('AWS::ApiGateway::Stage', ({ name }) => name);
  return {
    apiId,
    stage,
    route: compileRoutes(readMethods(template)),
    authorizers: readAuthorizers(template),
    gatewayResponses: readGatewayResponses(template),
  };
};

const readAuthorizers = (template: Template): Map<string, AuthorizerDefinition> =>
  new Map(
    template.read('AWS::ApiGateway::Authorizer', ({ logicalId, properties }) => {
      const { AuthorizerUri, IdentityValidationExpression = '' } = properties;
      const { AuthorizerResultTtlInSeconds = 300 } = properties;
      const definition = {
        functionName: invokedBy(AuthorizerUri),
        tokenPattern: new RegExp(IdentityValidationExpression),
        cacheMs: AuthorizerResultTtlInSeconds * 1000,
      };
      return [logicalId, definition] as const;
    }),
  );

/** By resource path and HTTP method. */
const readMethods = (template: Template): Map<string, Map<string, Method>> => {
  const paths = readPaths(template);
  const methods = template.read('AWS::ApiGateway::Method', ({ properties }) => {
    const { HttpMethod, ResourceId, AuthorizationType, AuthorizerId } = properties;
    const isKnown = AuthorizationType === (AuthorizerId === undefined ? 'NONE' : 'CUSTOM');
    if (!isKnown) throw new Error(`AuthorizationType ${AuthorizationType} is not supported`);
    // A parent that is not the id of a resource is the root, whose id is generated here.
    const resourcePath = paths.get(ResourceId) ?? '/';
    const integration = readIntegration(properties.Integration);
    return [HttpMethod, { resourcePath, authorizer: AuthorizerId, integration }] as const;
  });
  const byPath = Map.groupBy(methods, ([, { resourcePath }]) => resourcePath);
  return new Map([...byPath].map(([path, siblings]) => [path, new Map(siblings)]));
};

const readIntegration = (integration: Resource['properties']): Method['integration'] => {
  switch (integration.Type) {
    case 'AWS_PROXY':
      return { functionName: invokedBy(integration.Uri) };
    case 'MOCK': {
      const { RequestTemplates, IntegrationResponses } = integration;
      const render = compileResponse('method.response.header.', IntegrationResponses[0]);
      return { mediaTypes: Object.keys(RequestTemplates), render };
    }
    default:
      throw new Error('Integration.Type must be AWS_PROXY or MOCK');
  }
};

/** `arn:aws:apigateway:…:lambda:path/2015-03-31/functions/<function arn>/invocations` */
const invokedBy = (uri: string): string =>
  functionName(uri.split('/functions/')[1]?.split('/')[0] ?? '');

const readPaths = (template: Template): Map<string, string> => {
  const resources = new Map(
    template.read(
      'AWS::ApiGateway::Resource',
      ({ logicalId, properties }) => [logicalId, properties] as const,
    ),
  );
  const path = (id: string): string => {
    const resource = resources.get(id);
    return resource === undefined ? '' : `${path(resource.ParentId)}/${resource.PathPart}`;
  };
  return new Map([...resources.keys()].map((id) => [id, path(id)]));
};

/** Compiles the template's gateway responses, of which each type of error must have one. */
const readGatewayResponses = (template: Template): RestApi['gatewayResponses'] => {
  const type = 'AWS::ApiGateway::GatewayResponse';
  const responses = new Map(
    template.read(type, ({ properties }) => {
      const render = compileResponse('gatewayresponse.header.', properties);
      return [properties.ResponseType, render] as const;
    }),
  );
  const missing = responseTypes.filter((each) => !responses.has(each));
  if (missing.length > 0) template.reject(type, `there must be one for ${missing.join(', ')}`);
  return responses;
};

/**
 * Compiles a response of a mock integration or a gateway response. The one variable in it is the
 * id of the request.
 *
 * @param prefix of the parameters that are headers
 * @throws Error that names what is not supported
 */
const compileResponse = (
  prefix: string,
  { StatusCode, ResponseParameters = {}, ResponseTemplates }: Resource['properties'],
): Rendering => {
  const headers = Object.entries<string>(ResponseParameters).map(([parameter, value]) => {
    const [, literal] = /^'(.*)'$/.exec(value) ?? [];
    if (!parameter.startsWith(prefix)) throw new Error(`${parameter} is not supported`);
    return [parameter.slice(prefix.length), literal ?? `$${value}`] as const;
  });
  const body = ResponseTemplates['application/json'];
  const texts = [...headers.map(([, value]) => value), body];
  const other = texts.find((text) => otherVariable.test(text));
  if (other !== undefined) throw new Error(`${other} has more than $context.requestId`);
  return (requestId) => {
    const fill = (text: string) => text.replaceAll('$context.requestId', requestId);
    const named = headers.map(([name, value]) => [name, fill(value)]);
    return { status: Number(StatusCode), headers: Object.fromEntries(named), body: fill(body) };
  };
};

/** Another variable of a mapping template, or a directive of the Velocity language. */
const otherVariable = /\$(?!context\.requestId\b)[!{a-z]|#(set|if|foreach)\b/i;

/**
 * Compiles the resources of a REST API into a search by the path of a request, which may end with a
 * slash: API Gateway ignores that one. A literal segment wins over a parameter.
 *
 * @param targets by resource path, such as `/offers/{id}/resend`
 */
const compileRoutes = (
  targets: ReadonlyMap<string, RouteMatch['methods']>,
): ((path: string) => RouteMatch | undefined) => {
  const routes = [...targets]
    // A brace comes after every character of a literal segment.
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, methods]) => {
      const source = path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
      return { pattern: new RegExp(`^${source}/?$`), methods };
    });
  return (path) => {
    for (const { pattern, methods } of routes) {
      const match = pattern.exec(path);
      if (!match) continue;
      const parameters = Object.entries(match.groups ?? {}).map(([name, text]) => [
        name,
        decode(text),
      ]);
      return { methods, pathParameters: Object.fromEntries(parameters) };
    }
    return undefined;
  };
};

/** Text that is not valid percent-encoding is passed on as it was sent; the function rejects it. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
