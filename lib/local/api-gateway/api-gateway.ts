import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { account, arn } from '../aws-account.ts';
import { type Listener, listen } from '../server/listen.ts';
import { Authorizer } from './authorizer.ts';
import { GatewayError } from './gateway-error.ts';
import type { HttpResponse, Method, RestApi } from './rest-api.ts';

/** One request, as the local run prints it. */
export interface RequestLog {
  readonly method: string;
  /** Without the query, which may hold what does not belong in a log. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  /** What a request has made, as `id=…`: it ties the request to what follows behind the queue. */
  readonly created?: string | undefined;
  /** Why the gateway responded by itself. Not part of the response. */
  readonly error?: string | undefined;
}

/** What a gateway serves, and the functions that it calls. */
export interface ApiGatewayOptions {
  readonly restApi: RestApi;
  /** 0 takes a free one. */
  readonly port: number;
  /** Called when the port is taken; the gateway then takes a free one. */
  readonly onPortTaken?: ((port: number) => void) | undefined;
  /** Until then each response is 503, and no function is called. */
  readonly isReady: () => boolean;
  /** Rejects with FunctionError. */
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly onRequest: (log: RequestLog, body: string) => void;
}

export interface ApiGateway extends Listener {
  /** Asks the authorizers again. */
  readonly forgetAuthorizations: () => void;
}

/**
 * Serves a REST API over HTTP as API Gateway does. The stage is not part of the URL: paths are
 * relative to a base URL that ends with the stage on AWS and with the port here, and a stage could
 * be named like the first segment of a path.
 */
export const startApiGateway = async (options: ApiGatewayOptions): Promise<ApiGateway> => {
  const gateway = new Gateway(options);
  const server = createServer((incoming, outgoing) => {
    gateway.serve(incoming, outgoing).catch((thrown: unknown) => {
      // An error outside the log of a request must not end the process, and other requests with it.
      console.error(unexpected(thrown).message);
      outgoing.destroy();
    });
  });
  // Longer than the pause between two requests that a developer sends by hand.
  server.keepAliveTimeout = 60_000;
  const listener = await listen(server, options.port, options.onPortTaken);
  return { ...listener, forgetAuthorizations: () => gateway.forgetAuthorizations() };
};

interface Request {
  readonly incoming: IncomingMessage;
  readonly requestId: string;
  readonly httpMethod: string;
  /** As sent: still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** What a function responds to the event of a proxy integration. */
type ProxyResponse = Partial<HttpResponse> & { readonly statusCode: number };

class Gateway {
  readonly #options: ApiGatewayOptions;
  readonly #authorizers: ReadonlyMap<string, Authorizer>;

  constructor(options: ApiGatewayOptions) {
    const { restApi, invoke } = options;
    this.#options = options;
    this.#authorizers = new Map(
      [...restApi.authorizers].map(([id, definition]) => [id, new Authorizer(definition, invoke)]),
    );
  }

  forgetAuthorizations(): void {
    for (const authorizer of this.#authorizers.values()) authorizer.forget();
  }

  async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const body = await buffer(incoming).catch(() => undefined);
    // The client has hung up while it was sending its body.
    if (body === undefined) return;
    const [path = '', query] = (incoming.url ?? '').split(/\?(.*)/s);
    const request = {
      incoming,
      requestId: randomUUID(),
      httpMethod: incoming.method ?? '',
      path,
      query: new URLSearchParams(query),
      body: String(body),
    };
    const { response, error } = await this.#respond(request);
    // The client may have hung up meanwhile.
    if (!outgoing.destroyed) send(outgoing, request.requestId, response);
    const { httpMethod: method, requestId } = request;
    const durationMs = Math.round(performance.now() - startedAt);
    const log = { method, path, status: response.status, durationMs, requestId };
    const more = { created: created(response), error: error?.message };
    this.#options.onRequest({ ...log, ...more }, response.body);
  }

  async #respond(request: Request): Promise<{ response: HttpResponse; error?: GatewayError }> {
    try {
      return { response: await this.#integrate(request) };
    } catch (thrown) {
      const error = thrown instanceof GatewayError ? thrown : unexpected(thrown);
      const render = this.#options.restApi.gatewayResponses.get(error.responseType);
      if (render === undefined) throw thrown;
      return { response: render(request.requestId), error };
    }
  }

  async #integrate(request: Request): Promise<HttpResponse> {
    const { restApi, isReady, invoke } = this.#options;
    const { incoming, requestId, httpMethod, path } = request;
    const match = restApi.route(path);
    const method = match?.methods.get(httpMethod) ?? match?.methods.get('ANY');
    if (match === undefined || method === undefined) {
      throw new GatewayError('MISSING_AUTHENTICATION_TOKEN', 'no such method and path');
    }
    // An authorizer that is called before the tables are filled would deny a valid token, and the
    // denial is cached.
    if (!isReady()) {
      throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', 'the service is starting');
    }
    const context = await this.#authorize(request, method);
    const { integration } = method;
    if ('render' in integration) {
      const [type = ''] = (incoming.headers['content-type'] ?? 'application/json').split(';');
      const isKnown = integration.mediaTypes.includes(type.trim().toLowerCase());
      if (isKnown) return integration.render(requestId);
      throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'no template for the type of the body');
    }
    const event = proxyEvent(restApi, request, method, match.pathParameters, context);
    const result = (await invoke(integration.functionName, event)) as ProxyResponse;
    return { status: result.statusCode, headers: result.headers ?? {}, body: result.body ?? '' };
  }

  async #authorize({ incoming, httpMethod, path }: Request, { authorizer: id }: Method) {
    if (id === undefined) return undefined;
    const { apiId, stage } = this.#options.restApi;
    const authorizer = this.#authorizers.get(id);
    if (authorizer === undefined) throw new Error(`The template has no authorizer ${id}`);
    const methodArn = arn('execute-api', `${apiId}/${stage}/${httpMethod}${path}`);
    return authorizer.authorize(incoming.headers.authorization ?? '', methodArn);
  }
}

/**
 * The event of a REST API's Lambda proxy integration, in the payload format 1.0, as far as the
 * functions read it. The body is handed on as text: what is not UTF-8 in it becomes U+FFFD, as on
 * AWS. Header names are in lower case.
 */
const proxyEvent = (
  { apiId, stage }: RestApi,
  { incoming, requestId, httpMethod, path, query, body }: Request,
  { resourcePath }: Method,
  pathParameters: Readonly<Record<string, string>>,
  authorizer: Readonly<Record<string, string>> | undefined,
): object => {
  const values = [...query.keys()].map((name) => [name, query.getAll(name)]);
  return {
    resource: resourcePath,
    path,
    httpMethod,
    headers: incoming.headers,
    multiValueHeaders: incoming.headersDistinct,
    queryStringParameters: orNull(Object.fromEntries(query)),
    multiValueQueryStringParameters: orNull(Object.fromEntries(values)),
    pathParameters: orNull(pathParameters),
    stageVariables: null,
    requestContext: {
      accountId: account,
      apiId,
      ...(authorizer && { authorizer }),
      httpMethod,
      identity: { sourceIp: incoming.socket.remoteAddress },
      path: `/${stage}${path}`,
      requestId,
      requestTimeEpoch: Date.now(),
      resourcePath,
      stage,
    },
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
};

/** API Gateway sends null instead of an empty map. */
const orNull = <Value extends object>(map: Value): Value | null =>
  Object.keys(map).length === 0 ? null : map;

const send = (outgoing: ServerResponse, requestId: string, response: HttpResponse): void => {
  outgoing.writeHead(response.status, {
    ...response.headers,
    'Content-Length': Buffer.byteLength(response.body),
    'x-amzn-RequestId': requestId,
  });
  outgoing.end(response.body);
};

const created = ({ status, body }: HttpResponse): string | undefined => {
  const [, id] = /"id":"([^"]+)"/.exec(body) ?? [];
  return status === 201 && id ? `id=${id}` : undefined;
};

/** A fault of a function, of this gateway, or of the connection. */
const unexpected = (thrown: unknown): GatewayError =>
  new GatewayError('DEFAULT_5XX', String(thrown));
