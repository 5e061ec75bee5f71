import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultsOf, inQuery } from '../../functions/domain/faults.ts';
import { ListSandboxes } from '../../functions/domain/sandbox.ts';

/** What is wrong with a query, as `[parameter, code]`. */
const faultsIn = (query: unknown) => {
  const { error } = ListSandboxes.safeParse(query);
  return error
    ? faultsOf(error, query, inQuery).map((fault) => [
        'parameter' in fault && fault.parameter,
        fault.code,
      ])
    : [];
};

test('a limit is no other text than a whole number from 1 to 100', () => {
  const spellings = new Set(Array.from({ length: 100 }, (_, index) => String(index + 1)));
  const numbers = fc.oneof(fc.double(), fc.integer(), fc.bigInt()).map(String);
  const variants = fc
    .tuple(
      fc.constantFrom('', '0', '+', '-', ' ', '\n'),
      fc.integer({ min: 0, max: 101 }),
      fc.constantFrom('', '.0', '.5', 'e0', 'e1', ' ', '\n', 'n', '\u0660'),
    )
    .map((parts) => parts.join(''));
  const others = fc.oneof(fc.string(), numbers, variants).filter((limit) => !spellings.has(limit));
  fc.assert(
    fc.property(others, (limit) => {
      expect(faultsIn({ limit })).toEqual([['limit', 'invalid_format']]);
    }),
    { numRuns: 500 },
  );
});

test.each(['cursor', 'starting_after'])('all faults are reported, those of %s too', (place) => {
  const query = { limit: '0', offset: '1', [place]: '', ending_before: 'x' };
  const expected = [
    ['limit', 'invalid_format'],
    ['offset', 'unknown'],
    [place, place === 'cursor' ? 'invalid_cursor' : 'resource_missing'],
    ['ending_before', 'resource_missing'],
    [place, 'conflicting_parameters'],
    ['ending_before', 'conflicting_parameters'],
  ];
  expect(faultsIn(query).toSorted()).toEqual(expected.toSorted());
});
