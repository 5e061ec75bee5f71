import * as z from 'zod/mini';

/**
 * Free text from `minimum` to `maximum` characters, counted in Unicode code points.
 *
 * Lone surrogates cannot be written as UTF-8 and control characters have no business in a name or a
 * reason (they are how headers are injected into mail and lines into logs), so both are refused.
 * JSON Schema cannot be told that by functions: `meta` says it again for openapi.json.
 */
export const text = (minimum: number, maximum: number) =>
  z.string().check(
    z.refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
      error: 'Must not contain control characters or lone surrogates.',
      params: { code: 'invalid_characters' },
    }),
    z.refine((value) => value.length > 0 || minimum === 0, {
      error: 'Must not be empty.',
      params: { code: 'too_short' },
    }),
    z.refine((value) => [...value].length <= maximum, {
      error: `Must be at most ${withCommas(maximum)} characters.`,
      params: { code: 'too_long' },
    }),
    z.meta({ minLength: minimum, maxLength: maximum, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' }),
  );

/** Not toLocaleString, whose first use in a process loads 5 MB and takes 15 ms of a cold start. */
const withCommas = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
