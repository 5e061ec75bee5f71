import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { type Listener, listen } from '../../lib/local/listen.ts';
import type { QueueUrls } from '../admin/queue-urls.ts';
import { demo } from '../demo-data.ts';
import { lookBehindTheQueue } from './behind-the-queue.ts';
import { forward } from './forward.ts';
import { keepSending } from './keep-sending.ts';
import { referenceDocument } from './reference-document.ts';

export interface ReferenceOptions {
  readonly port?: number;
  /** The base URL of the API. */
  readonly api: string;
  readonly mailbox: string;
  readonly queues: Readonly<Record<string, QueueUrls>>;
}

/**
 * Serves the reference of a local run: the document in a viewer, with what happens behind the queue
 * beside it. The environment says where the table and the queues are.
 *
 * The page calls the API under the page's own origin, which hands the calls on: the API itself allows
 * no other origin to read its answers, and is to stay so.
 */
export const startReference = ({ port = 0, ...options }: ReferenceOptions): Promise<Listener> =>
  listen(
    createServer(async (request, response) => {
      try {
        await answer(request, response, options);
      } catch (error) {
        console.error(error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500, { 'Content-Type': 'text/plain' }).end(String(error));
      }
    }),
    port,
  );

const answer = (
  request: IncomingMessage,
  response: ServerResponse,
  { api, mailbox, queues }: ReferenceOptions,
): unknown => {
  const [pathname = ''] = (request.url ?? '').split('?');
  if (pathname.startsWith('/v1/')) return forward(request, response, api);
  const file = Object.hasOwn(files, pathname) ? files[pathname] : undefined;
  if (file) return send(response, contentTypes[extname(file)] ?? '', readFileSync(file));
  switch (pathname) {
    case '/openapi.json':
      return sendJson(response, referenceDocument(`http://${request.headers.host}`));
    case '/demo.json':
      return sendJson(response, { token: demo.tokens.live });
    case '/behind-the-queue':
      return keepSending(response, () => lookBehindTheQueue(api, queues));
    case '/mailbox':
      return response.writeHead(302, { Location: mailbox }).end();
    default:
      return response
        .writeHead(404, { 'Content-Type': 'text/plain' })
        .end('There is no such page.');
  }
};

const page = join(import.meta.dirname, 'page');
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** By path. They are read anew for each request, so that who edits the page need not start again. */
const files: Readonly<Record<string, string>> = {
  '/': join(page, 'index.html'),
  ...Object.fromEntries(
    ['page.css', 'viewer.css', 'page.js', 'live-view.js', 'icon.svg'].map((name) => [
      `/${name}`,
      join(page, name),
    ]),
  ),
  '/swagger-ui.css': join(viewer, 'swagger-ui.css'),
  '/swagger-ui-bundle.js': join(viewer, 'swagger-ui-bundle.js'),
};

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The page works without the internet, and this keeps it so. The viewer's icons are data URLs. */
const policy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

const send = (response: ServerResponse, contentType: string, content: string | Buffer) =>
  response
    .writeHead(200, {
      'Content-Type': contentType,
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-cache',
    })
    .end(content);

const sendJson = (response: ServerResponse, value: unknown) =>
  send(response, 'application/json', JSON.stringify(value));
