import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type Listener, listening } from '../server/listen.ts';

export interface AcceptedMail {
  readonly messageId: string;
  /** The input of `SendEmail`, as far as it is read here. */
  readonly input: {
    readonly FromEmailAddress?: string;
    readonly ConfigurationSetName?: string;
    readonly Destination?: Readonly<Record<string, string[]>>;
    readonly EmailTags?: readonly { readonly Name: string; readonly Value: string }[];
  };
}

/**
 * Starts a server that takes mail as SES v2 does and shows it: a page at `/`, JSON at `/store`.
 * The package keeps all mail of the process in one place, so stacks in one process share a mailbox.
 *
 * @param onMail called with each mail of this server when its sender has the response
 */
export const startMailbox = async (onMail: (mail: AcceptedMail) => void): Promise<Listener> => {
  // With require, because the default export of this CommonJS package is found in one place by
  // Node's import and in another one by bundlers and Vitest. Here, because loading it takes a
  // while.
  const { default: startServer }: typeof import('aws-ses-v2-local') = createRequire(
    import.meta.url,
  )('aws-ses-v2-local');
  const server = await startServer({ host: '127.0.0.1', port: 0 });
  // The package offers no place for checks of one's own.
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request').on('request', (request, response) => {
    // A browser sends the forms of any page with the page's origin: one could clear the store.
    const own = `http://${request.headers.host}`;
    const { origin = own } = request.headers;
    if (origin === own) {
      if (request.url === '/v2/email/outbound-emails') reportMail(request, response, onMail);
      for (const listener of listeners) listener(request, response);
      return;
    }
    const message = `The header Origin must be ${own}, not ${origin}.`;
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message }));
  });
  return listening(server);
};

/** Reports the mail of a request, also if its sender no longer waits for the response. */
const reportMail = (
  request: IncomingMessage & { readonly body?: AcceptedMail['input'] },
  response: ServerResponse,
  onMail: (mail: AcceptedMail) => void,
): void => {
  let body: string | undefined;
  // The package does not tell which response belongs to which mail.
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  response.end = (...args: unknown[]) => {
    body = String(args[0]);
    return end(...args);
  };
  response.once('close', () => {
    if (body === undefined || response.statusCode !== 200) return;
    // The package has parsed the body.
    onMail({ messageId: JSON.parse(body).MessageId, input: request.body ?? {} });
  });
};
