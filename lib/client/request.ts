import type { Call, ClientOptions } from './payments-client.ts';

/** A call with the options of its client, and what depends on its route. */
export interface RouteCall extends ClientOptions, Call {
  readonly endMs: number;
  readonly body?: object;
  /** The member of a success that is an array, of ids or of objects with ids. */
  readonly list?: 'approvals' | 'sandboxes';
}

/** @throws TypeError when an option or the key is wrong: no repetition helps */
export const prepare = (call: RouteCall, route: string, key: string | undefined) => {
  const { baseUrl, token, fetch = globalThis.fetch, body } = call;
  if (typeof fetch !== 'function') throw new TypeError('fetch must be a function.');
  const bearer = typeof token === 'string' ? token.trim() : '';
  // The error of Headers would show the token.
  if (!/^[ -~]+$/.test(bearer)) throw new TypeError('token must be an access token.');
  const headers = new Headers({
    Authorization: `Bearer ${bearer}`,
    'User-Agent': 'workforce-payments-client/1.0.0-rc.1',
    ...(key !== undefined && { 'Idempotency-Key': key }),
    ...(body && { 'Content-Type': 'application/json' }),
  });
  const [method = '', path = ''] = route.split(' ');
  // Redirects are not followed: a redirected POST would arrive as a GET.
  const init = { method, headers, body: body && JSON.stringify(body), redirect: 'manual' } as const;
  return { fetch, url: new URL(addressOf(baseUrl) + path), init, bearer };
};

/** @throws TypeError that does not show the address, which may hold a password */
const addressOf = (baseUrl: string): string => {
  const address = URL.canParse(baseUrl) ? new URL(baseUrl).href : '';
  // fetch rejects credentials, and a path would become part of a query or fragment.
  if (!/^https?:\/\/[^/@]+\/[^?#]*$/.test(address)) {
    throw new TypeError('baseUrl must be an HTTP(S) URL without credentials, query or fragment.');
  }
  // Each path begins with /v1.
  return address.replace(/(\/v1)?\/*$/, '');
};

/** @throws TypeError when an id would lead to another path, or is not well-formed Unicode */
export const idIn = (id: string): string => {
  const isOther = typeof id !== 'string' || /^\.{0,2}$/.test(id);
  if (isOther) throw new TypeError('The id must be a text other than "", "." and "..".');
  if (!id.isWellFormed()) throw new TypeError('The id is not well-formed Unicode.');
  return encodeURIComponent(id);
};
