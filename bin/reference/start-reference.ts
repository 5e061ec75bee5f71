import proxy from '@fastify/http-proxy';
import fastify from 'fastify';
import { type Listener, rejectForeignHosts } from '../../lib/local/local-engine.ts';
import { findMail } from './mails.ts';
import { pageFiles } from './page-files.ts';

/** The types of the page's files by the ends of their names. */
const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  json: 'application/json',
};

/**
 * Serves the reference page of a local run: the contract, a bar in which a demo token is chosen,
 * and a panel that shows what follows from requests.
 *
 * The page calls the API under the page's own address, which forwards the calls: the API itself
 * lets no other origin read its responses.
 *
 * @param api its base URL
 * @param snapshot what the panel shows; asked several times a second while a page is open
 */
export const startReference = async ({
  port = 0,
  api,
  mailbox,
  snapshot,
}: {
  readonly port?: number;
  readonly api: string;
  readonly mailbox: string;
  readonly snapshot: () => object;
}): Promise<Listener> => {
  const server = fastify({ forceCloseConnections: true });
  rejectForeignHosts(server.server);
  let files: Readonly<Record<string, string>> = {};
  server.register(proxy, {
    upstream: api,
    prefix: '/v1',
    rewritePrefix: '/v1',
    // Retries nothing: @fastify/reply-from would send a GET that gets 503 ten more times.
    retryMethods: [],
    // These are about the connection to the API (RFC 9110, section 7.6.1): passed on, they keep a
    // connection open whose client has asked to close it.
    replyOptions: {
      rewriteHeaders: ({ connection, 'keep-alive': keepAlive, ...headers }) => headers,
    },
  });
  server.get('/mailbox', (_, reply) => reply.redirect(mailbox));
  server.get<{ Params: { attempt: string } }>('/mails/:attempt', async ({ params }, reply) => {
    const mail = await findMail(mailbox, params.attempt);
    return mail ?? reply.callNotFound();
  });
  server.get('/live', (_, reply) => {
    const { raw } = reply.hijack();
    raw.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    let sent = '';
    const send = () => {
      const text = JSON.stringify(snapshot());
      if (text !== sent) raw.write(`data: ${text}\n\n`);
      sent = text;
    };
    send();
    const timer = setInterval(send, 200);
    raw.once('close', () => clearInterval(timer));
  });
  server.get<{ Params: { '*': string } }>('/*', ({ params }, reply) => {
    const name = params['*'] || 'index.html';
    if (!Object.hasOwn(files, name)) return reply.callNotFound();
    const type = contentTypes[name.split('.').at(-1) ?? ''] ?? 'text/plain';
    return reply.header('Content-Type', `${type}; charset=utf-8`).send(files[name]);
  });
  const url = await server.listen({ port, host: '127.0.0.1' });
  files = await pageFiles(url);
  return { url, stop: () => server.close() };
};
