import fc from 'fast-check';
import type { OperationObject } from '../../lib/openapi/document.ts';
import type { JsonSchema } from '../../lib/openapi/json-schema.ts';
import { arbitraryOf, junk } from './arbitrary-of.ts';
import type { FuzzTargets } from './fuzz-targets.ts';
import { mostly } from './mostly.ts';

/** A body as text, or none. */
export const content = (
  targets: FuzzTargets,
  { requestBody }: OperationObject,
): fc.Arbitrary<string | null> => {
  const schema = requestBody?.content['application/json']?.schema as JsonSchema | undefined;
  const broken = fc.oneof(
    fc.json(),
    fc.string(),
    junk.map((value) => JSON.stringify(value) ?? ''),
    fc.constantFrom(
      '{',
      '[',
      '{}',
      'null',
      '{"a":1,}',
      '{"__proto__":{}}',
      `{}${' '.repeat(65_535)}`,
    ),
  );
  if (!schema) return mostly<string | null>(fc.constant(null), 6, broken);
  const right = arbitraryOf(schema) as fc.Arbitrary<Record<string, unknown>>;
  const filled = fc
    .tuple(right, fc.constantFrom(...targets.managers))
    .map(([body, manager]) => ('approver' in body ? { ...body, approver: manager } : body));
  const members = fc.constantFrom('approver', 'reason', 'name', 'unknown', '__proto__', 'a/b~c');
  const wrong = fc
    .tuple(fc.oneof(filled, right), fc.dictionary(members, fc.oneof(junk, fc.constant(undefined))))
    .map(([body, changes]) => JSON.stringify({ ...body, ...changes }));
  const repeated = fc
    .tuple(filled, members)
    .map(([body, name]) => JSON.stringify(body).replace('{', `{"${name}":"a",`));
  return mostly<string | null>(
    fc.oneof({ weight: 4, arbitrary: filled }, right).map((body) => JSON.stringify(body)),
    1,
    fc.oneof({ weight: 4, arbitrary: wrong }, repeated),
    mostly<string | null>(broken, 4, fc.constant(null)),
  );
};
