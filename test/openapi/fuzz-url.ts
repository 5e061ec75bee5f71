import fc from 'fast-check';
import type { OperationObject } from '../../lib/openapi/document.ts';
import type { JsonSchema } from '../../lib/openapi/json-schema.ts';
import { arbitraryOf, junk } from './arbitrary-of.ts';
import type { FuzzTargets } from './fuzz-targets.ts';
import { mostly } from './mostly.ts';

/** What stands for `{id}` in a path. */
export const identifier = (
  targets: FuzzTargets,
  { operationId }: OperationObject,
  schema: JsonSchema,
): fc.Arbitrary<string> =>
  mostly(
    fc.constantFrom(...(targets.ids[operationId] ?? [])),
    4,
    arbitraryOf(schema).map(String),
    fc.string({ unit: 'grapheme', maxLength: 200 }).map(encodeURIComponent),
    fc.constantFrom(
      '',
      '%',
      '%zz',
      '%00',
      '%2F',
      '..',
      'a;b',
      '+',
      '{id}',
      '%F0%28',
      'x'.repeat(3000),
    ),
  );

/** The pieces of a query. */
export const query = (
  { sandboxes, cursors }: FuzzTargets,
  names: readonly string[],
  schemaOf: (name: string) => JsonSchema,
): fc.Arbitrary<string[]> => {
  const known: Readonly<Record<string, readonly string[]>> = {
    cursor: cursors,
    starting_after: sandboxes,
    ending_before: sandboxes,
  };
  const documented = names.map((name) =>
    mostly(
      fc.oneof(arbitraryOf(schemaOf(name)), fc.constantFrom(...(known[name] ?? ['10']))),
      3,
      fc.oneof(junk, fc.integer()),
    ).map((value) => `${name}=${encoded(value)}`),
  );
  const unknown = fc
    .tuple(fc.oneof(fc.string(), fc.constantFrom('debug', '__proto__', 'limit')), junk)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const pieces = documented.length > 0 ? [mostly(fc.oneof(...documented), 5, unknown)] : [unknown];
  const some = fc.array(fc.oneof(...pieces), { minLength: 1, maxLength: 3 });
  const odd = fc.constantFrom<string[]>(
    ['&'],
    ['='],
    ['%'],
    ['a=%zz'],
    ['limit'],
    ['a=1;b=2'],
    ['?'],
  );
  return fc.oneof(
    { weight: documented.length > 0 ? 3 : 12, arbitrary: fc.constant<string[]>([]) },
    { weight: documented.length > 0 ? 8 : 1, arbitrary: some },
    { weight: 1, arbitrary: odd },
  );
};

const encoded = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return encodeURIComponent(text.toWellFormed());
};
