import { z } from 'zod';
import type { GatewayRequest } from './gateway-request.ts';
import { checkHeaders, type HttpResponse } from './http-response.ts';
import { compileExpression, compileTemplate } from './mapping-template.ts';

/** The response templates of a mock integration or a gateway response: one, for every client. */
export const ResponseTemplates = z.strictObject({ 'application/json': z.string() });

/**
 * Compiles the headers and the body of a response that the API defines.
 *
 * @param prefix of the parameters that are headers, such as `gatewayresponse.header.`
 * @throws Error that names a parameter or a variable that is not supported, or a header that cannot
 * be sent
 */
export const compileResponse = (
  prefix: string,
  parameters: Readonly<Record<string, string>>,
  templates: z.infer<typeof ResponseTemplates>,
): ((request: GatewayRequest) => Omit<HttpResponse, 'status'>) => {
  const headers = Object.entries(parameters).map(([parameter, expression]) => {
    if (!parameter.startsWith(prefix)) throw new Error(`${parameter} is not supported`);
    const name = parameter.slice(prefix.length);
    // One spelling, so that it replaces the template's content type and is not sent beside it.
    const spelling = name.toLowerCase() === 'content-type' ? 'Content-Type' : name;
    checkHeaders({ [spelling]: expression });
    return [spelling, compileExpression(expression)] as const;
  });
  const body = compileTemplate(templates['application/json']);
  return (request) => ({
    headers: {
      'Content-Type': 'application/json',
      ...Object.fromEntries(headers.map(([name, value]) => [name, value(request)])),
    },
    body: body(request),
  });
};
