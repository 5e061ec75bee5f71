import { Agent, request } from 'node:http';
import type { Answered } from '../../lib/openapi/contract.ts';
import { stack } from '../support/stack.ts';
import type { FuzzRequest } from './fuzz-request.ts';

const agent = new Agent({ keepAlive: true });

/** Sends what `fetch` would refuse to: GET with a body, repeated headers, paths that are none. */
export const send = ({ method, url, headers, body }: FuzzRequest): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      stack.url,
      {
        agent,
        method,
        path: url,
        headers: {
          ...(headers as Record<string, string | string[]>),
          ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
        },
      },
      async (response) => {
        const text = (await response.toArray()).join('');
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          body: method === 'HEAD' ? undefined : JSON.parse(text),
        });
      },
    );
    outgoing.on('error', reject).end(body);
  });
