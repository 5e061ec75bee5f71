import fc from 'fast-check';
import type { JsonSchema } from '../../lib/openapi/json-schema.ts';
import { contract } from '../support/contract.ts';

/** Values that a schema of openapi.json allows, those at its limits among them. */
export const arbitraryOf = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const { $ref, properties, required = [], minimum, maximum } = schema;
  if ($ref)
    return arbitraryOf(contract.components.schemas?.[$ref.split('/').at(-1) ?? ''] as JsonSchema);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'integer') {
    return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
  }
  if (schema.type === 'string') return text(schema);
  if (properties) {
    const members = Object.entries(properties).map(([name, each]) => [
      name,
      arbitraryOf(each as JsonSchema),
    ]);
    const record: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(members);
    return fc.record(record, { requiredKeys: [...required] });
  }
  throw new Error(`Nothing is known to fit ${JSON.stringify(schema)}.`);
};

const text = ({
  format,
  pattern,
  minLength = 0,
  maxLength = 512,
}: JsonSchema): fc.Arbitrary<string> => {
  if (format === 'uuid') return fc.uuid();
  const allowed = new RegExp(pattern ?? '', 'u');
  const fits = (value: string) => {
    const { length } = [...value];
    // What can be seen, a pattern says without Unicode properties, and so not of all characters.
    const visible = minLength === 0 || !/^[\p{Z}\p{DI}]*$/u.test(value);
    return length >= minLength && length <= maxLength && allowed.test(value) && visible;
  };
  const longest = ['x'.repeat(maxLength), '😀'.repeat(maxLength)].filter(fits);
  const any = fc.stringMatching(allowed).filter((value) => value.isWellFormed() && fits(value));
  return longest.length > 0
    ? fc.oneof({ weight: 9, arbitrary: any }, fc.constantFrom(...longest))
    : any;
};

/** Values that the schema rarely allows. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    '',
    ' ',
    'null',
    '0',
    '-1',
    'x'.repeat(1001),
    'a\u0000b',
    '\ud800',
    '__proto__',
    1e308,
    [],
    {},
  ),
);
