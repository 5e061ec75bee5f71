import fc from 'fast-check';
import type { JsonSchema } from '../../lib/openapi/json-schema.ts';
import { arbitraryOf } from './arbitrary-of.ts';
import type { FuzzTargets } from './fuzz-targets.ts';
import { mostly } from './mostly.ts';

export const authorization = ({ tokens }: FuzzTargets): fc.Arbitrary<string | null> =>
  mostly<string | null>(
    fc.constantFrom(...tokens.good).map((token) => `Bearer ${token}`),
    9,
    fc.constantFrom(...tokens.bad).map((token) => `Bearer ${token}`),
    fc.constantFrom(null, '', 'Bearer', 'Basic eDp5', `bearer  wfp_live_${'x'.repeat(43)}`),
  );

/** Some are used again and again, for the same or for another request. */
export const idempotencyKey = (schema: JsonSchema): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<string[]>([]) },
    { weight: 4, arbitrary: arbitraryOf(schema).map((key) => [String(key)]) },
    { weight: 3, arbitrary: fc.nat(9).map((index) => [`again-${index}`]) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<string[]>(
        [''],
        ['""'],
        ['"quoted"'],
        ['x'.repeat(256)],
        ['é'],
        ['a', 'b'],
        ['a, a'],
        ['"a", "a"'],
        ['"a", "b"'],
        ['a,b'],
        ['a\tb'],
      ),
    },
  );

export const mediaType: fc.Arbitrary<string | null> = mostly<string | null>(
  fc.constant('application/json'),
  12,
  fc.constantFrom(
    null,
    'application/json; charset=utf-8',
    'application/merge-patch+json',
    'text/plain',
    'multipart/form-data',
    '',
    ';',
  ),
);

/** Headers that are none of the service's business, with any characters that a header may have. */
export const otherHeaders: fc.Arbitrary<Record<string, string>> = mostly(
  fc.constant({}),
  8,
  fc.dictionary(
    fc.constantFrom(
      'Accept',
      'Cookie',
      'Origin',
      'If-None-Match',
      'X-HTTP-Method-Override',
      'X-Any',
    ),
    fc.stringMatching(/^[ -~\u00a0-\u00ff]*$/),
  ),
);
