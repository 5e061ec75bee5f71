import { z } from 'zod';
import { GatewayError } from './gateway-error.ts';
import type { GatewayRequest } from './gateway-request.ts';
import { checkHeaders, type HttpResponse } from './http-response.ts';
import { proxyEvent } from './proxy-event.ts';

/** A Lambda proxy integration, as the template defines it. */
export interface LambdaProxyDefinition {
  readonly functionName: string;
}

/** The longest that an integration of a regional API may take without a raised quota. */
export const maximumIntegrationMs = 29_000;

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

// Strict, because API Gateway refuses an answer with any other member.
const ProxyResponse = z.strictObject({
  statusCode: z.coerce.number().int().min(100).max(599).default(200),
  headers: z.record(z.string(), headerValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(headerValue)).nullish(),
  body: z.string().nullish(),
  // Without binary media types it has no effect.
  isBase64Encoded: z.boolean().nullish(),
});

// API Gateway owns these names and moves what a function sets to x-amzn-Remapped-*: "Amazon API
// Gateway important notes".
const remappedHeaders = new Set([
  'connection',
  'content-length',
  'date',
  'server',
  'www-authenticate',
]);

/**
 * Hands the request to a function and its answer to the client.
 *
 * @throws GatewayError when the function fails, answers something else than a proxy response or
 * takes longer than the integration's timeout; the function itself runs on after that
 */
export const lambdaProxy = async (
  request: GatewayRequest,
  { functionName }: LambdaProxyDefinition,
  timeoutMs: number,
  invoke: (functionName: string, event: unknown) => Promise<unknown>,
): Promise<HttpResponse> => {
  const { success, data, error } = ProxyResponse.safeParse(
    await withTimeout(invoke(functionName, proxyEvent(request)).catch(refuse), timeoutMs),
  );
  if (!success) throw badGateway(`Malformed Lambda proxy response: ${z.prettifyError(error)}`);
  return {
    status: data.statusCode,
    headers: clientHeaders({ ...data.headers, ...data.multiValueHeaders }),
    body: data.body ?? '',
  };
};

const withTimeout = async <Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> => {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const reason = `the function took longer than ${timeoutMs} ms`;
    reject(new GatewayError('INTEGRATION_TIMEOUT', reason));
  }, timeoutMs);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

const clientHeaders = (headers: HttpResponse['headers']): HttpResponse['headers'] => {
  try {
    checkHeaders(headers);
  } catch (error) {
    throw badGateway(String(error));
  }
  const named = Object.entries(headers).map(([name, value]) => [
    remappedHeaders.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
    value,
  ]);
  const hasContentType = named.some(([name]) => String(name).toLowerCase() === 'content-type');
  return {
    ...Object.fromEntries(named),
    ...(!hasContentType && { 'Content-Type': 'application/json' }),
  };
};

const refuse = (error: unknown): never => {
  throw badGateway(String(error));
};

const badGateway = (reason: string): GatewayError => new GatewayError('DEFAULT_5XX', reason);
