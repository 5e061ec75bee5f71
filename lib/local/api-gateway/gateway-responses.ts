import { z } from 'zod';
import type { ResourceShape } from '../template/honoured.ts';
import type { Template } from '../template/template.ts';
import { type GatewayError, type ResponseType, responseTypes } from './gateway-error.ts';
import { type GatewayRequest, header } from './gateway-request.ts';
import type { HttpResponse } from './http-response.ts';
import { compileExpression, compileTemplate, type Rendering } from './mapping-template.ts';

const GatewayResponseProperties = z.object({
  ResponseType: z.enum(Object.keys(responseTypes) as [ResponseType, ...ResponseType[]]),
  StatusCode: z.coerce.number().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates: z.record(z.string(), z.string()).optional(),
});

const gatewayResponseShape: ResourceShape<z.infer<typeof GatewayResponseProperties>> = {
  type: 'AWS::ApiGateway::GatewayResponse',
  honoured: GatewayResponseProperties,
  withoutEffect: ['RestApiId'],
};

const defaultTemplates = { 'application/json': '{"message":$context.error.messageString}' };
const headerPrefix = 'gatewayresponse.header.';

interface Definition {
  readonly status: number | undefined;
  readonly headers: [name: string, value: Rendering][];
  /** By content type. */
  readonly templates: ReadonlyMap<string, Rendering>;
}

/** Turns an error of the gateway into the response that the API defines for it. */
export type GatewayResponses = (error: GatewayError, request: GatewayRequest) => HttpResponse;

/** Compiles the template's gateway responses. */
export const readGatewayResponses = (template: Template): GatewayResponses => {
  const definitions = new Map(
    template.read(gatewayResponseShape).map(({ logicalId, properties }) => {
      const definition = compile(properties, (token) =>
        template.report(`${token} in a template of ${logicalId} (${gatewayResponseShape.type})`),
      );
      return [properties.ResponseType, definition];
    }),
  );
  const builtIn = compile({ ResponseParameters: {} }, () => {});

  return (error, request) => {
    const { responseType, clientMessage } = error;
    const usualStatus = error.status ?? responseTypes[responseType];
    const fallback = usualStatus < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const definition = definitions.get(responseType) ?? definitions.get(fallback) ?? builtIn;
    const failed = { ...request, error: { responseType, message: clientMessage } };
    const [contentType, body] = chooseTemplate(definition.templates, request);
    return {
      status: definition.status ?? usualStatus,
      headers: {
        'Content-Type': contentType,
        ...Object.fromEntries(definition.headers.map(([name, value]) => [name, value(failed)])),
      },
      body: body(failed),
    };
  };
};

const compile = (
  {
    StatusCode,
    ResponseParameters,
    ResponseTemplates = defaultTemplates,
  }: Omit<z.infer<typeof GatewayResponseProperties>, 'ResponseType'>,
  onUnknown: (token: string) => void,
): Definition => {
  const headers: Definition['headers'] = [];
  for (const [parameter, expression] of Object.entries(ResponseParameters)) {
    if (!parameter.startsWith(headerPrefix)) {
      onUnknown(parameter);
      continue;
    }
    const name = parameter.slice(headerPrefix.length);
    // One spelling, so that it replaces the template's content type and is not sent beside it.
    const spelling = name.toLowerCase() === 'content-type' ? 'Content-Type' : name;
    headers.push([spelling, compileExpression(expression, onUnknown)]);
  }
  return { status: StatusCode, headers, templates: compileTemplates(ResponseTemplates, onUnknown) };
};

/** Compiles mapping templates, by content type. */
export const compileTemplates = (
  templates: Readonly<Record<string, string>>,
  onUnknown: (token: string) => void,
): Map<string, Rendering> =>
  new Map(
    Object.entries(templates).map(([contentType, text]) => [
      contentType,
      compileTemplate(text, onUnknown),
    ]),
  );

const emptyTemplate: [string, Rendering] = ['application/json', () => ''];

/**
 * The template that the client's Accept names, else the one for JSON, else the first: "Mapping
 * templates for REST APIs", how API Gateway selects a response template.
 */
export const chooseTemplate = (
  templates: ReadonlyMap<string, Rendering>,
  request: GatewayRequest,
): [contentType: string, Rendering] => {
  for (const contentType of [header(request, 'accept') ?? '', 'application/json']) {
    const rendering = templates.get(contentType);
    if (rendering !== undefined) return [contentType, rendering];
  }
  const [first = emptyTemplate] = templates;
  return first;
};
