/**
 * What every answer carries, also those of API Gateway. Answers hold personal data, which no cache
 * on the way may keep; they come over TLS alone, two years from now still; and they are what
 * Content-Type says.
 */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=63072000',
  'X-Content-Type-Options': 'nosniff',
} as const;
