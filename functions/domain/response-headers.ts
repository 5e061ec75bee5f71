/**
 * The headers of every response, also of API Gateway. Responses hold personal data, which no
 * cache may keep; for two years a browser calls the API only over TLS; and no browser guesses
 * another media type than that of Content-Type.
 */
export const responseHeaders = {
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=63072000',
  'X-Content-Type-Options': 'nosniff',
} as const;
