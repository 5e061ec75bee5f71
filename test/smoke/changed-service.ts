import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { stack } from '../support/running-stack.ts';
import { serverOf } from '../support/servers.ts';
import { testHeader } from './test-header.ts';

/** An answer of the shared service, and the request that it is for. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The title of the test that sends the request; empty if it is unknown. */
  readonly test: string;
}

/** The parts of an answer that a test changes. */
export type AnswerChange = (passing: Passing) => Partial<Passing> | undefined;

/** The address of the shared service behind a proxy that changes answers. */
export const changedService = (change: AnswerChange): Promise<string> =>
  serverOf(async (incoming, outgoing) => {
    try {
      const passing = await pass(incoming);
      const { status, headers, text } = { ...passing, ...change(passing) };
      outgoing.writeHead(status, headers).end(text);
    } catch {
      outgoing.destroy();
    }
  });

const pass = async (incoming: IncomingMessage): Promise<Passing> => {
  const { method = '', url: path = '', headers } = incoming;
  const body = await buffer(incoming);
  const response = await fetch(`${stack.url}${path}`, {
    method,
    headers: Object.fromEntries(
      ['authorization', 'content-type', 'idempotency-key'].flatMap((name) => {
        const value = headers[name];
        return value === undefined ? [] : [[name, String(value)]];
      }),
    ),
    ...(body.length > 0 && { body }),
  });
  const { 'content-length': _, connection: __, ...passed } = Object.fromEntries(response.headers);
  const test = decodeURIComponent(String(headers[testHeader] ?? ''));
  const { status } = response;
  return { method, path, status, headers: passed, text: await response.text(), test };
};
