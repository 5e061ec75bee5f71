import { setTimeout as sleep } from 'node:timers/promises';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './openapi.d.ts';

/** A client of the API whose requests, answers and errors are typed by openapi.json. */
export const paymentsClient = (baseUrl: string, token: string): Client<paths> =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` }, fetch: retrying });

/** Tries again where that can help and cannot harm: a repeated POST with a key has one effect. */
const retrying = async (request: Request, tries = 5): Promise<Response> => {
  const repeatable = request.method === 'GET' || request.headers.has('Idempotency-Key');
  const sent = fetch(request.clone());
  if (!repeatable || tries === 1) return sent;
  const response = await sent.catch(() => undefined);
  if (response && response.status < 500 && !response.headers.has('Retry-After')) return response;
  await sleep(Number(response?.headers.get('Retry-After') ?? 1) * 1000);
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
