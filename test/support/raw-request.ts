import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import type { Answer } from './send-request.ts';

/**
 * Sends what `fetch` would refuse to: GET with a body, repeated headers, paths that are none; and
 * with less work than `fetch`.
 */
export const rawRequest = async (
  url: string,
  options: RequestOptions,
  body?: string,
): Promise<Omit<Answer, 'body'>> => {
  const { request } = url.startsWith('https:') ? https : http;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, options, resolve).on('error', reject).end(body);
  const response = await promise;
  const { statusCode = 0, headers } = response;
  return {
    status: statusCode,
    headers: new Headers(headers as Record<string, string>),
    text: await text(response),
  };
};
