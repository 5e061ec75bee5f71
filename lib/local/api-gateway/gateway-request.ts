import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { arn } from '../aws-account.ts';

/** What stays the same for every request to one API. */
export interface ApiIdentity {
  readonly apiId: string;
  readonly stage: string;
}

/** The resource and method that a request was routed to. */
export interface RoutedTo {
  readonly resourceId: string;
  readonly resourcePath: string;
}

/** A request in the gateway. Its route and its authorization are added as they become known. */
export interface GatewayRequest {
  readonly api: ApiIdentity;
  readonly requestId: string;
  /** Named for what it is in `requestContext`; clients see it as `x-amz-apigw-id`. */
  readonly extendedRequestId: string;
  readonly receivedAt: Date;
  readonly httpMethod: string;
  /** As sent: still percent-encoded, without the query. */
  readonly path: string;
  readonly protocol: string;
  readonly sourceIp: string;
  readonly headers: Record<string, string>;
  readonly multiValueHeaders: Record<string, string[]>;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly routedTo?: RoutedTo;
  readonly pathParameters: Record<string, string>;
  /** `principalId` and the authorizer's context. */
  readonly authorizer?: Record<string, string>;
}

// The headers that API Gateway does not pass on: connection management, and the length of a body
// that the event carries as a string. From "Amazon API Gateway important notes", remapped headers.
const droppedHeaders = new Set([
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'keep-alive',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

/** Reads everything of a request but its body. */
export const gatewayRequest = (incoming: IncomingMessage, api: ApiIdentity): GatewayRequest => {
  const requestId = randomUUID();
  const receivedAt = new Date();
  const target = incoming.url ?? '/';
  const questionMark = target.indexOf('?');
  const sourceIp = incoming.socket.remoteAddress ?? '';
  const { headers, multiValueHeaders } = readHeaders([
    ...incoming.rawHeaders,
    'X-Amzn-Trace-Id',
    traceId(requestId, receivedAt),
    'X-Forwarded-For',
    sourceIp,
    'X-Forwarded-Port',
    String(incoming.socket.localPort),
    'X-Forwarded-Proto',
    'http',
  ]);
  return {
    api,
    requestId,
    extendedRequestId: btoa(requestId.slice(0, 11)),
    receivedAt,
    httpMethod: incoming.method ?? '',
    path: questionMark === -1 ? target : target.slice(0, questionMark),
    protocol: `HTTP/${incoming.httpVersion}`,
    sourceIp,
    headers,
    multiValueHeaders,
    query: new URLSearchParams(questionMark === -1 ? '' : target.slice(questionMark + 1)),
    body: Buffer.alloc(0),
    pathParameters: {},
  };
};

/** The value of a header whatever its case, the last one if it was sent more than once. */
export const header = (request: GatewayRequest, name: string): string | undefined => {
  const wanted = name.toLowerCase();
  return Object.entries(request.headers).find(([key]) => key.toLowerCase() === wanted)?.[1];
};

/** The media type of the body without its parameters; JSON if the client does not say. */
export const mediaType = (request: GatewayRequest): string => {
  const [type = ''] = (header(request, 'content-type') ?? 'application/json').split(';');
  return type.trim().toLowerCase();
};

/** The ARN by which policies allow or deny a request. */
export const methodArn = ({ api, httpMethod, path }: GatewayRequest): string =>
  arn('execute-api', `${api.apiId}/${api.stage}/${httpMethod}${path}`);

/** `21/Nov/2026:08:07:50 +0000` */
export const requestTime = (receivedAt: Date): string => {
  const [, day, month, year, time] = receivedAt.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
};

/** Header names keep the spelling of the client; repeated ones are collected under the first. */
const readHeaders = (
  rawHeaders: readonly string[],
): {
  headers: Record<string, string>;
  multiValueHeaders: Record<string, string[]>;
} => {
  // A client may call a header `__proto__`: only Object.fromEntries makes a member of that name.
  const received = new Map<string, { spelling: string; values: string[] }>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const spelling = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const key = spelling.toLowerCase();
    if (droppedHeaders.has(key)) continue;
    const known = received.get(key);
    if (known === undefined) received.set(key, { spelling, values: [value] });
    else known.values.push(value);
  }
  const all = [...received.values()];
  return {
    headers: Object.fromEntries(all.map(({ spelling, values }) => [spelling, values.at(-1) ?? ''])),
    multiValueHeaders: Object.fromEntries(all.map(({ spelling, values }) => [spelling, values])),
  };
};

const traceId = (requestId: string, receivedAt: Date): string => {
  const epoch = Math.floor(receivedAt.getTime() / 1000).toString(16);
  return `Root=1-${epoch}-${requestId.replaceAll('-', '').slice(0, 24)}`;
};
