import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { responseHeaders } from '../domain/response-headers.ts';

/** A response. Each carries the id of its request, by which the logs find it. */
export const responseTo = (
  { requestContext }: APIGatewayProxyEvent,
  statusCode: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): APIGatewayProxyResult => ({
  statusCode,
  headers: { ...headers, ...responseHeaders, 'Request-Id': requestContext.requestId },
  body: JSON.stringify(body),
});
