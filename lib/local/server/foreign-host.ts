import type { IncomingMessage } from 'node:http';

const ownHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Why a server of this machine rejects a request, if the request is for another name. The name of
 * any site can lead to 127.0.0.1, and a browser then lets the site's page read what the server
 * answers (DNS rebinding).
 */
export const foreignHost = ({
  headers: { host = 'absent' },
}: IncomingMessage): string | undefined =>
  ownHost.test(host)
    ? undefined
    : `The header Host must be 127.0.0.1, localhost or [::1], not ${host}.`;
