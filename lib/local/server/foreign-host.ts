import type { IncomingMessage, RequestListener, Server } from 'node:http';

const ownHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
/** A target that names the host once more (RFC 9112, 3.2.2). */
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Makes a server of this machine reject requests for another name before anything else reads them.
 * The name of any site can lead to 127.0.0.1, and a browser then lets the site's page read what the
 * server answers (DNS rebinding).
 */
export const rejectForeignHosts = (server: Server): void => {
  // Without one, Node.js itself answers 400 with no body.
  Object.assign(server, { requireHostHeader: false });
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request').on('request', (request, response) => {
    const [status, message] = hostFault(request) ?? [];
    if (status === undefined) for (const listener of listeners) listener(request, response);
    else {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message }));
    }
  });
};

/** The status and the reason of a rejection. Of the target, later readers get the path alone. */
const hostFault = (request: IncomingMessage): [number, string] | undefined => {
  const { url = '', httpVersion, headersDistinct } = request;
  const { host: hosts = [] } = headersDistinct;
  const [, authority, path = ''] = absoluteForm.exec(url) ?? [];
  if (authority !== undefined) request.url = path.startsWith('/') ? path : `/${path}`;
  // A program that speaks HTTP/1.0 need not name one; every browser does.
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0')) {
    return [400, `A request has exactly one header Host, not ${hosts.length}.`];
  }
  const foreign = [authority, ...hosts].find((host) => host !== undefined && !ownHost.test(host));
  return foreign === undefined
    ? undefined
    : [403, `The header Host must be 127.0.0.1, localhost or [::1], not ${foreign}.`];
};
