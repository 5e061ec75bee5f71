import { z } from 'zod';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { TemplateReader } from '../cloudformation/template-reader.ts';
import { type GatewayError, responseTypes } from './gateway-error.ts';
import type { GatewayRequest } from './gateway-request.ts';
import type { HttpResponse } from './http-response.ts';
import { compileResponse, ResponseTemplates } from './response-template.ts';

const GatewayResponseProperties = z.strictObject({
  ResponseType: z.string(),
  StatusCode: z.coerce.number(),
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

/** Compiles the template's gateway responses, of which each type of error must have one. */
export const readGatewayResponses = (reader: TemplateReader): GatewayResponses => {
  const responses = new Map(
    reader.make(gatewayResponseShape, ({ properties }) => {
      const { ResponseType: type, StatusCode: status, ResponseParameters } = properties;
      const render = compileResponse(
        'gatewayresponse.header.',
        ResponseParameters,
        properties.ResponseTemplates,
      );
      return [type, (request: GatewayRequest) => ({ status, ...render(request) })];
    }),
  );
  const missing = responseTypes.filter((type) => !responses.has(type));
  if (missing.length > 0) {
    reader.reject(gatewayResponseShape.type, `there must be one for ${missing.join(', ')}`);
  }
  return ({ responseType }, request) => {
    const response = responses.get(responseType);
    if (response === undefined) throw new Error(`The template has no response ${responseType}`);
    return response(request);
  };
};
