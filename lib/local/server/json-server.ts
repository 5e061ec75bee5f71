import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type Listener, listen } from './listen.ts';

/** A fault of the sender. `code` is the name of the error in AWS. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  /** Its code in the query protocol, from which SDKs take the one that they report. */
  readonly queryCode: string;

  constructor(code: string, message: string, { status = 400, queryCode = '' } = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.status = status;
    this.queryCode = queryCode;
  }
}

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export interface CallContext {
  readonly url: string;
  /** Aborts when the client hangs up. */
  readonly signal: AbortSignal;
}

/** What a service offers, by `X-Amz-Target`. Each throws ServiceError for a bad request. */
export type Operations = Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: each operation takes the input of its own request.
  Record<string, (input: any, call: CallContext) => unknown>
>;

/**
 * Serves operations in the JSON protocol of the SDKs, at a free port of this machine.
 *
 * @param log gets a line for each request that failed by a fault of the server
 */
export const startJsonServer = async (
  operations: Operations,
  log: (line: string) => void = console.error,
): Promise<Listener> => {
  const server = createServer(async (request, response) => {
    const target = request.headers['x-amz-target'];
    if (typeof target !== 'string') {
      refuseQuery(response);
      return;
    }
    const hangUp = new AbortController();
    response.once('close', () => hangUp.abort());
    try {
      const operation = Object.hasOwn(operations, target) ? operations[target] : undefined;
      if (operation === undefined) {
        throw new ServiceError('UnknownOperationException', `There is no '${target}' here.`);
      }
      const call = { url: listener.url, signal: hangUp.signal };
      const input = await json(request).catch(() => undefined);
      if (!input) throw new ServiceError('SerializationException', 'The body is not JSON.');
      const output = await operation(input, call);
      send(response, 200, output ?? {});
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof ServiceError) {
        const { code, status, queryCode } = error;
        if (queryCode) response.setHeader('x-amzn-query-error', `${queryCode};Sender`);
        send(response, status, { __type: code, message });
      } else {
        log(`${target} 500 (${message})`);
        send(response, 500, { __type: 'InternalFailure', message });
      }
    }
  });
  const listener = await listen(server, 0);
  return listener;
};

/** In the form of the query protocol, whose clients read no other. */
const refuseQuery = (response: ServerResponse): void => {
  const message =
    "Only AWS's JSON protocol is understood here, which names the operation in X-Amz-Target. For SQS, use boto3 1.28.82 or later, or an SDK from 2024 on.";
  response.writeHead(400, { 'content-type': 'text/xml' });
  response.end(
    `<ErrorResponse><Error><Type>Sender</Type><Code>UnsupportedOperation</Code><Message>${message}</Message></Error></ErrorResponse>`,
  );
};

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(body));
};
