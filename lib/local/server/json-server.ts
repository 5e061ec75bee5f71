import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Listener, listen } from './listen.ts';
import { ServiceError } from './service-error.ts';

/** What an operation may need besides its input. */
export interface CallContext {
  /** The base address of the server. */
  readonly url: string;
  /** Aborts when the client hangs up. */
  readonly signal: AbortSignal;
}

/** What a service offers, by `X-Amz-Target`. Each throws ServiceError for a bad request. */
export type Operations = Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: each operation takes the input of its own request.
  Record<string, (input: any, call: CallContext) => object | undefined | Promise<object>>
>;

/** The differences between services that use the SDKs' JSON protocols. */
export interface Dialect {
  readonly contentType: string;
  /** The code of the error for an operation that is not offered. */
  readonly unknownOperation: string;
  /** The prefix of the code in an error's `__type`. */
  readonly errorNamespace: string;
}

const json11: Dialect = {
  contentType: 'application/x-amz-json-1.1',
  unknownOperation: 'UnknownOperationException',
  errorNamespace: '',
};

/** How a server logs and speaks. */
export interface JsonServerOptions {
  /** Gets a line for each request that failed by a fault of the server. */
  readonly log?: ((line: string) => void) | undefined;
  /** JSON 1.1 unless set. */
  readonly dialect?: Dialect;
}

/** Serves operations in one of the SDKs' JSON protocols, at a free port of this machine. */
export const startJsonServer = async (
  operations: Operations,
  { log = console.error, dialect = json11 }: JsonServerOptions = {},
): Promise<Listener> => {
  const reply = (response: ServerResponse, status: number, body: object) => {
    const text = JSON.stringify(body);
    response.writeHead(status, { 'content-type': dialect.contentType });
    response.end(text);
  };
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    const hangUp = new AbortController();
    const abort = () => hangUp.abort();
    request.socket.once('end', abort);
    response.once('close', () => request.socket.off('end', abort));
    response.once('close', abort);
    try {
      const operation = Object.hasOwn(operations, target) ? operations[target] : undefined;
      if (operation === undefined) {
        throw new ServiceError(
          dialect.unknownOperation,
          `The local run does not offer '${target}'.`,
        );
      }
      const call = { url: listener.url, signal: hangUp.signal };
      reply(response, 200, (await operation(await readInput(request), call)) ?? {});
    } catch (error) {
      const sender = error instanceof ServiceError;
      const code = sender ? error.code : 'InternalFailure';
      const message = error instanceof Error ? error.message : String(error);
      if (!sender) log(`${target} 500 (${message})`);
      const body = { __type: `${dialect.errorNamespace}${code}`, message };
      reply(response, sender ? error.status : 500, body);
    }
  });
  const listener = await listen(server, 0);
  return listener;
};

const readInput = async (request: IncomingMessage): Promise<object> => {
  const input = await json(request).catch(() => undefined);
  if (typeof input === 'object' && input !== null) return input;
  throw new ServiceError('SerializationException', 'The body is not a JSON object.');
};
