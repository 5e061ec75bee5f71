export interface RequestContent {
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** Sent as it is, in place of `body` as JSON. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | undefined;
  readonly key?: string | undefined;
  /** Replace those that follow from the rest. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Response {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies differ from operation to operation.
  readonly body: any;
  /** As it was sent, to compare replays with. */
  readonly text: string;
}

/** A request to the API as `fetch` takes it. */
export const requestInit = (
  method: string,
  { token, body, raw, key, headers }: RequestContent,
): RequestInit & { readonly method: string; readonly headers: Record<string, string> } => {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    method,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(content !== undefined && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  };
};

/**
 * Sends a request to the API and reads the response, of which a HEAD has no body.
 *
 * @throws the error of `fetch` if there is no response, SyntaxError if it is not JSON
 */
export const sendRequest = async (
  url: string,
  method: string,
  call: RequestContent = {},
  signal?: AbortSignal,
): Promise<Response> => {
  const init = { ...requestInit(method, call), ...(signal && { signal }) };
  const response = await fetch(url, init);
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, text, body: method === 'HEAD' ? undefined : JSON.parse(text) };
};
