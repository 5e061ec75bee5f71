/** What the gateway sends, from wherever it comes. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Buffer;
}
