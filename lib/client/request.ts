import type { ApprovalCall, ClientOptions, Walk } from './options.ts';

/** A call with the options of its client, and what depends on its route. */
export interface RouteCall extends ClientOptions, ApprovalCall, Walk {
  readonly fetch: typeof fetch;
  readonly tryForS: number;
  readonly endMs: number;
  readonly body?: object;
  /** The member of a success that is an array, of ids or of objects with ids. */
  readonly list?: 'approvals' | 'sandboxes';
}

const ofClient = ['baseUrl', 'token', 'tryForS', 'fetch', 'onTry'];
const ofCall = ['signal', 'tryForS'];

/**
 * @param ofRoute what a call of the route takes besides
 * @throws TypeError when an option is wrong, which no repetition helps; it shows no value
 */
export const begin = (
  options: ClientOptions,
  call: ApprovalCall & Walk = {},
  ofRoute: readonly string[] = ['key'],
): RouteCall => {
  requireOptions(options, ofClient);
  requireOptions(call, [...ofCall, ...ofRoute]);
  const { fetch = globalThis.fetch, onTry, tryForS: tryEachForS = 90 } = options;
  const { key, signal, tryForS = tryEachForS } = call;
  requireThat(typeof fetch === 'function', 'fetch must be a function.');
  requireThat(onTry === undefined || typeof onTry === 'function', 'onTry must be a function.');
  const isTime = typeof tryForS === 'number' && tryForS > 0;
  requireThat(isTime, 'tryForS must be a number of seconds above 0.');
  const isKey = typeof key === 'string' && /^([ -~]{1,255}|"[ -~]{1,255}")$/.test(key.trim());
  requireThat(key === undefined || isKey, 'key must be 1 to 255 printable ASCII characters.');
  const isVersion =
    call.version === undefined ||
    (versionsOf(call).length > 0 &&
      versionsOf(call).every((each) => Number.isSafeInteger(each) && each >= 0));
  requireThat(isVersion, 'version must be a whole number, or several.');
  const isSignal =
    typeof Object(signal).aborted === 'boolean' && 'addEventListener' in Object(signal);
  requireThat(signal === undefined || isSignal, 'signal must be an AbortSignal.');
  return { ...options, ...call, fetch, tryForS, endMs: performance.now() + tryForS * 1000 };
};

const versionsOf = ({ version = [] }: ApprovalCall): readonly number[] => [version].flat();

/** @throws TypeError when it is missing, null or no object */
export const requireObject = (options: object): void => {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  requireThat(isObject, 'The options must be an object.');
};

/** @throws TypeError when they have another one, which may be a misspelt one */
const requireOptions = (options: object, names: readonly string[]): void => {
  requireObject(options);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  const sentence = `${unknown} is not an option. The options are ${names.join(', ')}.`;
  requireThat(unknown === undefined, sentence);
};

const requireThat = (isRight: boolean, sentence: string): void => {
  if (!isRight) throw new TypeError(sentence);
};

/** @throws TypeError when the address, the token or the body cannot be sent */
export const prepare = (call: RouteCall, route: string, key: string | undefined) => {
  const { baseUrl, token, body } = call;
  const bearer = typeof token === 'string' ? token.trim() : '';
  // The error of Headers would show the token.
  const isToken = /^(?!bearer )[ -~]+$/i.test(bearer);
  requireThat(isToken, 'token must be an access token, without "Bearer ".');
  const headers = new Headers({
    Authorization: `Bearer ${bearer}`,
    'User-Agent': 'workforce-payments-client/1.0.0-rc.2',
    ...(key !== undefined && { 'Idempotency-Key': key }),
    ...(body && { 'Content-Type': 'application/json' }),
    ...(call.version !== undefined && {
      'If-Match': versionsOf(call)
        .map((each) => `"${each}"`)
        .join(', '),
    }),
  });
  const [method = '', path = ''] = route.split(' ');
  // Redirects are not followed: a redirected POST would arrive as a GET.
  const init = { method, headers, body: body && JSON.stringify(body), redirect: 'manual' } as const;
  return { url: new URL(addressOf(baseUrl) + path), init, bearer };
};

/** @throws TypeError that does not show the address, which may hold a password */
const addressOf = (baseUrl: string): string => {
  const address = URL.canParse(baseUrl) ? new URL(baseUrl).href : '';
  // fetch rejects credentials, and a path would become part of a query or fragment.
  requireThat(
    /^https?:\/\/[^/@]+\/[^?#]*$/.test(address),
    'baseUrl must be an HTTP(S) URL without credentials, query or fragment.',
  );
  // Each path begins with /v1. Superlinear, in the length of the program's own setting.
  return address.replace(/(\/v1)?\/*$/, '');
};

/** @throws TypeError when an id would lead to another path, or is not well-formed Unicode */
export const idIn = (id: string): string => {
  const isId = typeof id === 'string' && !/^\.{0,2}$/.test(id);
  requireThat(isId, 'The id must be a text other than "", "." and "..".');
  requireThat(id.isWellFormed(), 'The id is not well-formed Unicode.');
  return encodeURIComponent(id);
};
