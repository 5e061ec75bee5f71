import { GatewayError } from './gateway-error.ts';
import { type GatewayRequest, mediaType } from './gateway-request.ts';
import { chooseTemplate, compileTemplates } from './gateway-responses.ts';
import type { HttpResponse } from './http-response.ts';
import { compileExpression, type Rendering } from './mapping-template.ts';

/** A mock integration, as the template defines it. */
export interface MockDefinition {
  readonly PassthroughBehavior: 'WHEN_NO_MATCH' | 'NEVER';
  /** By the content type of the request. */
  readonly RequestTemplates: Readonly<Record<string, string>>;
  readonly IntegrationResponses: readonly {
    readonly StatusCode: string;
    readonly SelectionPattern?: string | undefined;
    readonly ResponseParameters: Readonly<Record<string, string>>;
    readonly ResponseTemplates: Readonly<Record<string, string>>;
  }[];
}

const headerPrefix = 'method.response.header.';

/**
 * Answers without a backend ("Mock integrations for REST APIs in API Gateway"): the request
 * template renders a status code, and the integration response for that code is the answer.
 * `onUnknown` hears of everything in templates and parameters that is not rendered here.
 */
export const mockIntegration = (
  { PassthroughBehavior, RequestTemplates, IntegrationResponses }: MockDefinition,
  onUnknown: (token: string) => void,
): ((request: GatewayRequest) => HttpResponse) => {
  const requestTemplates = compileTemplates(RequestTemplates, onUnknown);
  const responses = IntegrationResponses.map((response) => ({
    status: Number(response.StatusCode),
    pattern:
      response.SelectionPattern === undefined
        ? undefined
        : new RegExp(`^(?:${response.SelectionPattern})$`),
    headers: compileHeaders(response.ResponseParameters, onUnknown),
    templates: compileTemplates(response.ResponseTemplates, onUnknown),
  }));

  return (request) => {
    const statusCode = selectedStatus(request, requestTemplates, PassthroughBehavior);
    const response =
      responses.find(({ pattern }) => pattern?.test(statusCode)) ??
      responses.find(({ pattern }) => pattern === undefined);
    if (response === undefined) throw misconfigured(`no integration response for ${statusCode}`);
    const [contentType, body] = chooseTemplate(response.templates, request);
    return {
      status: response.status,
      headers: {
        'Content-Type': contentType,
        ...Object.fromEntries(response.headers.map(([name, value]) => [name, value(request)])),
      },
      body: body(request),
    };
  };
};

const selectedStatus = (
  request: GatewayRequest,
  templates: ReadonlyMap<string, Rendering>,
  passthrough: MockDefinition['PassthroughBehavior'],
): string => {
  const template = templates.get(mediaType(request));
  if (template === undefined && passthrough === 'NEVER') {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'Unsupported Media Type');
  }
  const rendered = template?.(request) ?? request.body.toString();
  // Not JSON.parse: API Gateway also takes `{ statusCode: 204 }`, which is what the CDK writes.
  const [, statusCode] = /"?statusCode"?\s*:\s*"?(\d{3})/.exec(rendered) ?? [];
  if (statusCode === undefined) throw misconfigured('the request template gives no statusCode');
  return statusCode;
};

const compileHeaders = (
  parameters: Readonly<Record<string, string>>,
  onUnknown: (token: string) => void,
): [name: string, value: Rendering][] =>
  Object.entries(parameters).map(([parameter, expression]) => {
    const name = parameter.slice(headerPrefix.length);
    const spelling = name.toLowerCase() === 'content-type' ? 'Content-Type' : name;
    return [spelling, compileExpression(expression, onUnknown)];
  });

const misconfigured = (reason: string): GatewayError =>
  new GatewayError('API_CONFIGURATION_ERROR', 'Internal server error', { reason });
