import { validateHeaderName, validateHeaderValue } from 'node:http';

/** What the gateway sends, from wherever it comes. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Buffer;
}

/** Throws when a name or a value cannot be sent, such as a value with a line break. */
export function checkHeaders(headers: HttpResponse['headers']): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    for (const item of [value].flat()) validateHeaderValue(name, item);
  }
}
