import { z } from 'zod';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { TemplateReader } from '../cloudformation/template-reader.ts';
import { type GatewayError, type ResponseType, responseTypes } from './gateway-error.ts';
import type { GatewayRequest } from './gateway-request.ts';
import type { HttpResponse } from './http-response.ts';
import { compileResponse, ResponseTemplates } from './response-template.ts';

const GatewayResponseProperties = z.strictObject({
  ResponseType: z.enum(Object.keys(responseTypes) as [ResponseType, ...ResponseType[]]),
  StatusCode: z.coerce.number().optional(),
  ResponseParameters: z.record(z.string(), z.string()).default({}),
  ResponseTemplates,
  RestApiId: withoutEffect,
});

const gatewayResponseShape: ResourceShape<z.infer<typeof GatewayResponseProperties>> = {
  type: 'AWS::ApiGateway::GatewayResponse',
  schema: GatewayResponseProperties,
};

/** Turns an error of the gateway into the response that the API defines for it. */
export type GatewayResponses = (error: GatewayError, request: GatewayRequest) => HttpResponse;

/** Compiles the template's gateway responses. */
export const readGatewayResponses = (reader: TemplateReader): GatewayResponses => {
  const definitions = new Map(
    reader.make(gatewayResponseShape, ({ properties }) => {
      const {
        ResponseType,
        StatusCode: status,
        ResponseParameters,
        ResponseTemplates,
      } = properties;
      const render = compileResponse(
        'gatewayresponse.header.',
        ResponseParameters,
        ResponseTemplates,
      );
      return [ResponseType, { status, render }];
    }),
  );
  return (error, request) => {
    const { responseType, clientMessage } = error;
    const usualStatus = error.status ?? responseTypes[responseType];
    const fallback = usualStatus < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const definition = definitions.get(responseType) ?? definitions.get(fallback);
    return {
      status: definition?.status ?? usualStatus,
      ...(definition?.render(request) ?? builtIn(clientMessage)),
    };
  };
};

/** What API Gateway sends where the API defines nothing. */
const builtIn = (message: string | null) => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ message }),
});
