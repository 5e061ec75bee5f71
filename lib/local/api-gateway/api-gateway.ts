import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Listener, listen } from '../server/listen.ts';
import { Authorizer } from './authorizer.ts';
import { GatewayError } from './gateway-error.ts';
import { type GatewayRequest, gatewayRequest } from './gateway-request.ts';
import type { HttpResponse } from './http-response.ts';
import { lambdaProxy, maximumIntegrationMs } from './lambda-proxy.ts';
import type { Method, RestApi } from './rest-api.ts';
import type { RouteMatch } from './routes.ts';

/** One request, as the local run prints it. */
export interface RequestLog {
  readonly method: string;
  /** Without the query, which may hold what does not belong in a log. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  /** What a request has made, as `id=…`: it ties the request to what follows behind the queue. */
  readonly created?: string;
  /** The function that the request was for, if its route has one. */
  readonly functionName?: string;
  /** Why the gateway answered by itself. Not part of the response. */
  readonly error?: string;
}

/** What a gateway serves, and the functions that it calls. */
export interface ApiGatewayOptions {
  readonly restApi: RestApi;
  /** 0 takes a free one. */
  readonly port: number;
  /** Called when the port is taken; the gateway then takes a free one. */
  readonly onPortTaken?: ((port: number) => void) | undefined;
  /** Until then each answer is 503, and no function is called. */
  readonly isReady?: () => boolean;
  /** Replaces how long an integration may take on AWS. */
  readonly integrationTimeoutMs?: number | undefined;
  /** Rejects with FunctionError. */
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly onRequest: (log: RequestLog, answer: string) => void;
}

/** A gateway that listens. */
export interface ApiGateway extends Listener {
  /** Asks the authorizers again. */
  readonly forgetAuthorizations: () => void;
}

/** 10 MB, from "Quotas for configuring and running a REST API in API Gateway". */
const maximumBodyBytes = 10 * 1024 * 1024;
const noBody = Buffer.alloc(0);

/**
 * Serves a REST API over HTTP as API Gateway does. The stage is not part of the URL: paths are
 * relative to a base URL that ends with the stage on AWS and with the port here, and a stage could
 * be named like the first segment of a path.
 */
export const startApiGateway = async (options: ApiGatewayOptions): Promise<ApiGateway> => {
  const gateway = new Gateway(options);
  const server = createServer((incoming, response) => {
    gateway.answer(incoming, response).catch((thrown: unknown) => {
      // An error outside the log of a request must not end the process, and other requests with it.
      console.error(unexpected(thrown).message);
      response.destroy();
    });
  });
  // Longer than the pause between two requests that a developer sends by hand.
  server.keepAliveTimeout = 60_000;
  const listener = await listen(server, options.port, options.onPortTaken);
  return { ...listener, forgetAuthorizations: () => gateway.forgetAuthorizations() };
};

/** An answer, and how the gateway came to it. */
interface GatewayAnswer {
  readonly answer: HttpResponse;
  readonly method?: Method;
  readonly error?: GatewayError;
}

/** Answers requests as its API defines. */
class Gateway {
  readonly #options: ApiGatewayOptions;
  readonly #restApi: RestApi;
  readonly #authorizers: ReadonlyMap<string, Authorizer>;

  constructor(options: ApiGatewayOptions) {
    const { restApi, invoke } = options;
    this.#options = options;
    this.#restApi = restApi;
    this.#authorizers = new Map(
      [...restApi.authorizers].map(([id, definition]) => [id, new Authorizer(definition, invoke)]),
    );
  }

  forgetAuthorizations(): void {
    for (const authorizer of this.#authorizers.values()) authorizer.forget();
  }

  async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const request = gatewayRequest(incoming, this.#restApi.identity);
    const { answer, method, error } = await this.#respond(incoming, request);
    // The client may have hung up while it was sending its body.
    if (response.destroyed) return;
    send(response, request, answer);
    const integration = method?.integration;
    const log = {
      method: request.httpMethod,
      path: request.path,
      status: answer.status,
      durationMs: Math.round(performance.now() - startedAt),
      requestId: request.requestId,
      ...(answer.status === 201 && created(answer)),
      ...(typeof integration === 'object' && { functionName: integration.functionName }),
      ...(error !== undefined && { error: error.message }),
    };
    this.#options.onRequest(log, answer.body);
  }

  async #respond(incoming: IncomingMessage, received: GatewayRequest): Promise<GatewayAnswer> {
    let request = received;
    let method: Method | undefined;
    try {
      request = { ...request, body: await readBody(incoming) };
      const match = this.#route(request);
      method = match.target;
      request = { ...request, routedTo: method, pathParameters: match.pathParameters };
      this.#admit(method);
      if (method.authorizer !== undefined) {
        request = { ...request, authorizer: await this.#authorize(request, method.authorizer) };
      }
      return { method, answer: await this.#integrate(request, method) };
    } catch (thrown) {
      const error = thrown instanceof GatewayError ? thrown : unexpected(thrown);
      const answer = this.#restApi.gatewayResponses(error, request);
      return { answer, error, ...(method !== undefined && { method }) };
    }
  }

  #route({ path, httpMethod }: GatewayRequest): RouteMatch<Method> {
    const match = this.#restApi.route(path);
    const target = match?.target.get(httpMethod) ?? match?.target.get('ANY');
    if (match === undefined || target === undefined) {
      throw new GatewayError('MISSING_AUTHENTICATION_TOKEN', 'no such method and path');
    }
    return { ...match, target };
  }

  #admit({ throttle }: Method): void {
    if (this.#options.isReady?.() === false) {
      // An authorizer that is called before the tables are filled would deny a valid token, and the
      // denial is cached.
      throw new GatewayError('AUTHORIZER_FAILURE', 'the service is starting');
    }
    if (throttle?.admit() === false) throw new GatewayError('THROTTLED', 'too many requests');
  }

  async #integrate(request: GatewayRequest, { integration }: Method): Promise<HttpResponse> {
    if (typeof integration === 'function') return integration(request);
    const { integrationTimeoutMs = maximumIntegrationMs, invoke } = this.#options;
    return lambdaProxy(request, integration, integrationTimeoutMs, invoke);
  }

  #authorize(request: GatewayRequest, id: string): Promise<Record<string, string>> {
    const authorizer = this.#authorizers.get(id);
    if (authorizer === undefined) throw new Error(`The template has no authorizer ${id}`);
    return authorizer.authorize(request);
  }
}

const readBody = async (incoming: IncomingMessage): Promise<Buffer> => {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  if (length === undefined && encoding === undefined) return noBody;
  if (Number(length ?? 0) > maximumBodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming.iterator({
    destroyOnReturn: false,
  }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maximumBodyBytes) break;
    chunks.push(chunk);
  }
  if (bytes <= maximumBodyBytes) return Buffer.concat(chunks);
  // The rest is read and thrown away, because a client reads no answer before it has sent it all,
  // and the connection's next request comes after it. While the iterator lasts `resume` has no
  // effect.
  incoming.resume();
  throw tooLarge();
};

const send = (response: ServerResponse, request: GatewayRequest, answer: HttpResponse): void => {
  const hasNoBody = answer.status === 204 || answer.status === 304;
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(!hasNoBody && { 'Content-Length': Buffer.byteLength(answer.body) }),
    'x-amzn-RequestId': request.requestId,
    'x-amz-apigw-id': request.extendedRequestId,
  });
  response.end(answer.body);
};

const created = ({ body }: HttpResponse): Pick<RequestLog, 'created'> => {
  const [, id] = /"id":"([^"]+)"/.exec(body) ?? [];
  return id === undefined ? {} : { created: `id=${id}` };
};

const tooLarge = (): GatewayError =>
  new GatewayError('REQUEST_TOO_LARGE', 'the body is longer than 10 MB');

/** A fault of this gateway, or of the connection. */
const unexpected = (thrown: unknown): GatewayError => {
  const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return new GatewayError('DEFAULT_5XX', reason);
};
