import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';

/**
 * Hands a request on to the API, and the API's answer back, as they are: headers in their order and
 * number, bodies as they come. Answers 502 when nobody is there.
 */
export const forward = (request: IncomingMessage, response: ServerResponse, api: string): void => {
  const { hostname, port } = new URL(api);
  const call = openRequest({
    hostname,
    port,
    method: request.method,
    path: request.url,
    headers: request.rawHeaders,
  });
  call.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    pipeline(answer, response, () => {});
  });
  call.once('error', () =>
    response.headersSent ? response.destroy() : unavailable(response, api),
  );
  // Who has gone wants no answer.
  response.once('close', () => call.destroy());
  request.pipe(call);
};

const unavailable = (response: ServerResponse, api: string) =>
  response.writeHead(502, { 'Content-Type': 'application/problem+json' }).end(
    JSON.stringify({
      title: 'The API does not answer',
      status: 502,
      detail: `Nobody listens at ${api}. Start the local run again with npm start.`,
    }),
  );
