import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { QueueError } from './queue-error.ts';
import type { QueueService } from './queue-service.ts';
import { sqsOperations } from './sqs-operations.ts';

/**
 * Speaks the part of SQS that a service uses, in the JSON protocol of today's SDKs, on 127.0.0.1.
 * Resolves once it listens; port 0 takes a free one.
 *
 * @param log gets a line for each request that failed by a fault of the server
 */
export async function startSqsServer(
  service: QueueService,
  port: number,
  log: (line: string) => void = console.error,
): Promise<{ url: string; stop(): Promise<void> }> {
  let url = '';
  const server = createServer(async (request, response) => {
    try {
      reply(response, 200, await answer(request, response, service, url));
    } catch (error) {
      if (!(error instanceof QueueError)) log(`${request.headers['x-amz-target']} 500 (${error})`);
      replyWithError(response, error);
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      // Long polls would hold the server open for up to 20 seconds.
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  service: QueueService,
  url: string,
): Promise<unknown> {
  const target = String(request.headers['x-amz-target'] ?? '');
  const operation = sqsOperations.get(target.replace(/^AmazonSQS\./, ''));
  if (operation === undefined) {
    throw new QueueError('UnsupportedOperation', `The local SQS does not offer '${target}'.`);
  }
  const input = await readInput(request);
  const hangUp = new AbortController();
  response.on('close', () => hangUp.abort());
  const queue =
    String(input.QueueUrl ?? '')
      .split('/')
      .at(-1) ?? '';
  return operation({ service, url, queue, input: input as never, signal: hangUp.signal });
}

async function readInput(request: IncomingMessage): Promise<{ QueueUrl?: unknown }> {
  const input = await json(request).catch(() => undefined);
  if (typeof input === 'object' && input !== null) return input;
  throw new QueueError('SerializationException', 'The body is not a JSON object.');
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body ?? {});
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(text);
}

function replyWithError(response: ServerResponse, error: unknown): void {
  const known = error instanceof QueueError;
  const code = known ? error.code : 'InternalFailure';
  // SDKs that still know the names of the older query protocol find them in this header.
  response.setHeader('x-amzn-query-error', `${queryCode(code)};${known ? 'Sender' : 'Receiver'}`);
  reply(response, known ? 400 : 500, {
    __type: `com.amazonaws.sqs#${code}`,
    message: error instanceof Error ? error.message : String(error),
  });
}

function queryCode(code: string): string {
  switch (code) {
    case 'QueueDoesNotExist':
      return 'AWS.SimpleQueueService.NonExistentQueue';
    case 'InvalidParameterValueException':
      return 'InvalidParameterValue';
    case 'MissingRequiredParameterException':
      return 'MissingParameter';
    case 'ReceiptHandleIsInvalid':
    case 'InvalidMessageContents':
    case 'InternalFailure':
      return code;
    default:
      return `AWS.SimpleQueueService.${code}`;
  }
}
