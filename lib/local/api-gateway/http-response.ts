import { validateHeaderName, validateHeaderValue } from 'node:http';

/** A response of the gateway, from a function or its own. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly body: string;
}

/** @throws TypeError when a name or a value cannot be sent, such as a value with a line break */
export const checkHeaders = (headers: HttpResponse['headers']): void => {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    for (const item of [value].flat()) validateHeaderValue(name, item);
  }
};
