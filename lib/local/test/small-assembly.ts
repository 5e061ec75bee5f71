import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { responseTypes } from '../api-gateway/gateway-error.ts';
import { Template } from '../cloudformation/template.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A resource of a template. */
export const resource = (Type: string, Properties?: object) => ({
  Type,
  ...(Properties && { Properties }),
});

/** What the gateway responds by itself: its code, as a problem. */
const statuses: Record<string, number> = {
  MISSING_AUTHENTICATION_TOKEN: 404,
  UNAUTHORIZED: 401,
  ACCESS_DENIED: 403,
  AUTHORIZER_CONFIGURATION_ERROR: 503,
};
const responses = responseTypes.map((ResponseType) => [
  ResponseType,
  resource('AWS::ApiGateway::GatewayResponse', {
    ResponseType,
    StatusCode: String(statuses[ResponseType] ?? 500),
    ResponseParameters: {
      'gatewayresponse.header.Request-Id': 'context.requestId',
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
    },
    ResponseTemplates: { 'application/json': JSON.stringify({ code: ResponseType }) },
  }),
]);

/** An API without methods. */
const api = {
  Api: resource('AWS::ApiGateway::RestApi', {}),
  Stage: resource('AWS::ApiGateway::Stage', { StageName: 'v9' }),
  ...Object.fromEntries(responses),
};

/** The resources of a route, `GET echo/{id}`, with a function or another integration. */
export const routeOf = (
  route: string,
  integration: string | object,
  others: object = {},
): Record<string, object> => {
  const [HttpMethod = '', PathPart = ''] = route.split(' ');
  const id = `Path${PathPart.replaceAll(/\W/g, '')}`;
  const ParentId = { 'Fn::GetAtt': ['Api', 'RootResourceId'] };
  const Integration =
    typeof integration === 'string' ? { Type: 'AWS_PROXY', Uri: uriOf(integration) } : integration;
  const own = { HttpMethod, ResourceId: { Ref: id }, AuthorizationType: 'NONE', Integration };
  return {
    [id]: resource('AWS::ApiGateway::Resource', { PathPart, ParentId }),
    [`${id}Method`]: resource('AWS::ApiGateway::Method', { ...own, ...others }),
  };
};

/** The URI by which API Gateway invokes a function. */
export const uriOf = (logicalId: string, arn: object = arnOf(logicalId)) => ({
  'Fn::Join': ['', ['arn:aws:apigateway:::path/functions/', arn, '/invocations']],
});

export const arnOf = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });

/** Functions by the texts of modules that export `handler`. */
export type Sources = Readonly<Record<string, string>>;

/** Writes an assembly of a stack named `Small`, with an API, and returns its directory. */
export const assemblyOf = (resources: object, sources: Sources = {}, outputs = {}): string => {
  const directory = temporaryDirectory();
  const write = (name: string, content: object) =>
    writeFileSync(join(directory, name), JSON.stringify(content));
  const functions: Record<string, object> = {};
  const files: Record<string, object> = {};
  for (const [id, source] of Object.entries(sources)) {
    mkdirSync(join(directory, id));
    writeFileSync(join(directory, id, 'index.mjs'), source);
    files[id] = { source: { path: id }, destinations: { here: { objectKey: `${id}.zip` } } };
    functions[id] = resource('AWS::Lambda::Function', {
      Code: { S3Key: `${id}.zip` },
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      // A start is slow on a busy machine; the default is 3 s.
      Timeout: 30,
    });
  }
  write('manifest.json', {
    artifacts: {
      Small: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Small.json' } },
      'Small.assets': { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } },
    },
  });
  write('Small.json', {
    Resources: { ...api, ...functions, ...resources },
    Outputs: Object.fromEntries(Object.entries(outputs).map(([name, Value]) => [name, { Value }])),
  });
  write('assets.json', { files });
  return directory;
};

/** The same, read beside a server of queues. */
export const templateOf = (resources: object, sources?: Sources, outputs?: object): Template =>
  new Template(assemblyOf(resources, sources, outputs), 'http://sqs');
