import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import proxy from '@fastify/http-proxy';
import fastify, { type FastifyInstance } from 'fastify';
import { type Listener, rejectForeignHosts } from '../../lib/local/local-engine.ts';
import { demo } from '../../lib/openapi/demo.ts';
import type { LiveState } from './live-state.ts';
import { findMail } from './mails.ts';
import { filesIn, siteFiles } from './site-files.ts';

/**
 * Serves the reference of a local run: the published page in a frame, with the demo tokens filled
 * in, and what happens behind the queue beside it.
 *
 * The page calls the API under the page's own origin, which forwards the calls: the API itself
 * allows no other origin to read its answers.
 *
 * @param api its base URL
 */
export const startReference = async ({
  port = 0,
  api,
  mailbox,
  live,
}: {
  readonly port?: number;
  readonly api: string;
  readonly mailbox: string;
  readonly live: LiveState;
}): Promise<Listener> => {
  const server = fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
  rejectForeignHosts(server.server);
  // A client that has ended its side of the connection still reads its answer.
  Object.assign(server.server, { httpAllowHalfOpen: true });
  const shell = filesIn(join(import.meta.dirname, 'shell'));
  for (const [name, content] of Object.entries(shell)) serve(server, `/${name}`, content);
  for (const [name, content] of Object.entries(await siteFiles({ api, isForwarded: true }))) {
    serve(server, `/reference/${name}`, content);
  }
  server.register(proxy, {
    upstream: api,
    prefix: '/v1',
    rewritePrefix: '/v1',
    replyOptions: {
      // Node.js joins the values of a repeated header, of which the API accepts only one.
      rewriteRequestHeaders: ({ raw }, headers) => {
        const all = Object.entries((raw as IncomingMessage).headersDistinct);
        const repeated = all.filter(([, values = []]) => values.length > 1);
        // Node.js has answered an expectation already, and cannot send one.
        return { ...headers, expect: undefined, ...Object.fromEntries(repeated) };
      },
      // Of the connection to the API: a client that ends its own would wait for the end.
      rewriteHeaders: ({ connection: _, ...headers }) => headers,
      onError: (reply) =>
        reply
          .code(502)
          .header('Content-Type', 'application/problem+json')
          .send(
            Buffer.from(
              JSON.stringify({
                title: 'The API does not answer',
                status: 502,
                detail: `Nothing listens at ${api}. Start the local run again with npm start.`,
              }),
            ),
          ),
    },
  });
  server.get('/tokens', () => demo.tokens);
  server.get('/mailbox', (_, reply) => reply.redirect(mailbox));
  server.get<{ Params: { attempt: string } }>('/mails/:attempt', async ({ params }, reply) => {
    const mail = await findMail(mailbox, params.attempt);
    return mail ?? reply.callNotFound();
  });
  server.get('/live', ({ raw }, reply) => {
    reply.hijack();
    // A page that has ended its side has gone.
    raw.socket.once('end', () => reply.raw.destroy());
    reply.raw.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const send = () => reply.raw.write(`data: ${JSON.stringify(live.snapshot())}\n\n`);
    send();
    live.on('change', send);
    reply.raw.once('close', () => live.off('change', send));
  });
  const url = await server.listen({ port, host: '127.0.0.1' });
  return { url, stop: () => server.close() };
};

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  ts: 'text/plain; charset=utf-8',
};

const headers = {
  // The page works without the internet, and this keeps it so.
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'self'",
  'Cache-Control': 'no-cache',
  Vary: 'Accept-Encoding',
};

/** Serves a file, compressed where the client can read that, and once only while it is the same. */
const serve = (server: FastifyInstance, path: string, content: string): void => {
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  const [type = ''] = path.split('.').slice(-1);
  let compressed: Promise<Buffer> | undefined;
  server.get(path.replace(/index\.html$/, ''), async (request, reply) => {
    reply.headers({ ...headers, ETag: etag, 'Content-Type': contentTypes[type] });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return content;
    compressed ??= compress(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    return reply.header('Content-Encoding', 'br').send(await compressed);
  });
};

const compress = promisify(brotliCompress);
