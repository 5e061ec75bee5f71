import { setTimeout as sleep } from 'node:timers/promises';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './openapi.d.ts';

/** A client of the API whose requests, answers and errors are typed by openapi.json. */
export const paymentsClient = (baseUrl: string, token: string): Client<paths> =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` }, fetch: retrying });

/**
 * Tries again where that can help and cannot harm: an answer with `Retry-After` says that the
 * request had no effect; after any other failure only a GET or a POST with a key is repeated, which
 * has one effect.
 */
const retrying = async (request: Request, tries = 5): Promise<Response> => {
  const repeatable = request.method === 'GET' || request.headers.has('Idempotency-Key');
  const sent = fetch(request.clone());
  if (tries === 1) return sent;
  const response = await (repeatable ? sent.catch(() => undefined) : sent);
  const retryAfterS = response?.headers.get('Retry-After');
  if (response && !retryAfterS && (!repeatable || response.status < 500)) return response;
  await sleep(Number(retryAfterS ?? 1) * 1000);
  return retrying(request, tries - 1);
};

/** Every sandbox, newest first, a page at a time. */
export async function* sandboxes(
  client: Client<paths>,
  limit = 100,
): AsyncGenerator<components['schemas']['Sandbox']> {
  let cursor: string | undefined;
  do {
    const { data, error } = await client.GET('/v1/sandboxes', {
      params: { query: { limit, cursor } },
    });
    if (error) throw new Error(`${error.code}: ${error.detail}`);
    yield* data.sandboxes;
    cursor = data.cursor;
  } while (cursor);
}
