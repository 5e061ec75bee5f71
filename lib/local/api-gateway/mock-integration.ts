import { z } from 'zod';
import { GatewayError } from './gateway-error.ts';
import { type GatewayRequest, mediaType } from './gateway-request.ts';
import type { HttpResponse } from './http-response.ts';
import { compileResponse, ResponseTemplates } from './response-template.ts';

/** A mock integration with one answer. */
export const MockIntegration = z.strictObject({
  Type: z.literal('MOCK'),
  PassthroughBehavior: z.literal('NEVER'),
  /** By the content type of the request. The status code in them selects the answer. */
  RequestTemplates: z.record(
    z.string(),
    z.string().regex(/^\{ *"?statusCode"? *: *"?\d{3}"? *\}$/),
  ),
  IntegrationResponses: z.tuple([
    z.strictObject({
      StatusCode: z.string(),
      ResponseParameters: z.record(z.string(), z.string()).default({}),
      ResponseTemplates,
    }),
  ]),
});

/**
 * Answers without a backend ("Mock integrations for REST APIs in API Gateway").
 *
 * @throws Error that names what is not supported in its templates and parameters
 */
export const mockIntegration = ({
  RequestTemplates,
  IntegrationResponses: [{ StatusCode, ResponseParameters, ResponseTemplates }],
}: z.infer<typeof MockIntegration>): ((request: GatewayRequest) => HttpResponse) => {
  const render = compileResponse('method.response.header.', ResponseParameters, ResponseTemplates);
  return (request) => {
    if (!Object.hasOwn(RequestTemplates, mediaType(request))) {
      throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'no template for the type of the body');
    }
    return { status: Number(StatusCode), ...render(request) };
  };
};
