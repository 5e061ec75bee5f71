/** What a client puts into a request. */
export interface Call {
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** Sent as it is, in place of `body` as JSON. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | undefined;
  readonly key?: string | undefined;
  /** Replace those that follow from the rest. */
  readonly headers?: Record<string, string>;
}

/** A request to the API as `fetch` takes it. */
export const requestInit = (
  method: string,
  { token, body, raw, key, headers }: Call,
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
