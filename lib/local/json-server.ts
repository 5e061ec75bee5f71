import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Listener, listen } from './listen.ts';

/** A fault that AWS would answer with status 400. `code` is the name of the protocol's error. */
export class ServiceError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
  }
}

/** What a service offers, by `X-Amz-Target`. Each throws ServiceError for a bad request. */
// biome-ignore lint/suspicious/noExplicitAny: each operation takes the input of its own request.
export type Operations = Readonly<Record<string, (input: any) => object>>;

/**
 * Serves operations in the SDKs' JSON 1.1 protocol, at a free port of this machine.
 *
 * @param log gets a line for each request that failed by a fault of the server
 */
export async function startJsonServer(
  operations: Operations,
  log: (line: string) => void = console.error,
): Promise<Listener> {
  const server = createServer(async (request, response) => {
    const { status, body, fault } = await answer(request, operations);
    if (fault !== undefined) log(`${request.headers['x-amz-target']} ${status} (${fault})`);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(body));
  });
  return listen(server, 0);
}

async function answer(
  request: IncomingMessage,
  operations: Operations,
): Promise<{ status: number; body: object; fault?: string }> {
  try {
    const target = String(request.headers['x-amz-target']);
    const operation = Object.hasOwn(operations, target) ? operations[target] : undefined;
    if (operation === undefined) {
      throw new ServiceError(
        'UnknownOperationException',
        `The local run does not offer '${target}'.`,
      );
    }
    return { status: 200, body: operation(await readInput(request)) };
  } catch (error) {
    const known = error instanceof ServiceError;
    const message = error instanceof Error ? error.message : String(error);
    return {
      status: known ? 400 : 500,
      body: { __type: known ? error.code : 'InternalFailure', message },
      ...(!known && { fault: message }),
    };
  }
}

async function readInput(request: IncomingMessage): Promise<object> {
  const input = await json(request).catch(() => undefined);
  if (typeof input === 'object' && input !== null) return input;
  throw new ServiceError('SerializationException', 'The body is not a JSON object.');
}
