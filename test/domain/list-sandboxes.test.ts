import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ListSandboxes } from '../../functions/domain/sandbox.ts';
import { faultsOf, inQuery } from '../../functions/http/faults.ts';
import { ordered } from '../support/arbitraries.ts';

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

describe('limit', () => {
  test('is ten unless it is given', () => {
    expect(ListSandboxes.parse({})).toEqual({ limit: 10 });
  });

  test('is a whole number from 1 to 100, as one writes it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (limit) => {
        expect(ListSandboxes.parse({ limit: String(limit) })).toEqual({ limit });
      }),
    );
  });

  test('is no other text', () => {
    const spellings = new Set(Array.from({ length: 100 }, (_, index) => String(index + 1)));
    const numbers = fc.oneof(fc.double(), fc.integer(), fc.bigInt()).map(String);
    const variants = fc
      .tuple(
        fc.constantFrom('', '0', '+', '-', ' ', '\n'),
        fc.integer({ min: 0, max: 101 }),
        fc.constantFrom('', '.0', '.5', 'e0', 'e1', ' ', '\n', 'n', '\u0660'),
      )
      .map((parts) => parts.join(''));
    const others = fc
      .oneof(fc.string(), numbers, variants)
      .filter((limit) => !spellings.has(limit));
    fc.assert(
      fc.property(others, (limit) => {
        expect(faultsIn({ limit })).toEqual([['limit', 'invalid_format']]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the place to start at', () => {
  const places = {
    cursor: fc
      .base64String({ minLength: 4, maxLength: 512 })
      .map((cursor) => cursor.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')),
    starting_after: ordered.map((id) => `sbx_${id}`),
    ending_before: ordered.map((id) => `sbx_${id}`),
  };
  const given = fc.record(places, { requiredKeys: [] });

  test('is one of three', () => {
    const one = given.filter((query) => Object.keys(query).length === 1);
    fc.assert(
      fc.property(one, (query) => {
        expect(ListSandboxes.parse(query)).toEqual({ limit: 10, ...query });
      }),
    );
  });

  test('is not two or three of them: each one that was given is named', () => {
    const many = given.filter((query) => Object.keys(query).length > 1);
    fc.assert(
      fc.property(many, (query) => {
        const names = ['cursor', 'starting_after', 'ending_before'].filter((name) => name in query);
        expect(faultsIn(query)).toEqual(names.map((name) => [name, 'conflicting_parameters']));
      }),
    );
  });

  test.each(['starting_after', 'ending_before'])('%s that is no identifier is missing', (name) => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        expect(faultsIn({ [name]: id })).toEqual([[name, 'resource_missing']]);
      }),
    );
  });

  test('a cursor that has other characters, or far too many, is none of ours', () => {
    const foreign = fc.string({ minLength: 1 }).filter((text) => /[^\w-]/.test(text));
    fc.assert(
      fc.property(fc.oneof(foreign, fc.constantFrom('', 'x'.repeat(513))), (cursor) => {
        expect(faultsIn({ cursor })).toEqual([['cursor', 'invalid_cursor']]);
      }),
    );
  });
});

test('no other parameter is known, whatever it is called', () => {
  const known = ['limit', 'cursor', 'starting_after', 'ending_before'];
  const unknown = fc
    .oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'Limit'))
    .filter((name) => !known.includes(name));
  fc.assert(
    fc.property(unknown, (name) => {
      const query = Object.fromEntries([[name, '1']]);
      expect(faultsIn(query)).toEqual([[name, 'unknown']]);
    }),
  );
});

test('everything that is wrong is said at once', () => {
  const query = { limit: '0', offset: '1', starting_after: 'x', ending_before: 'x' };
  const expected = [
    ['limit', 'invalid_format'],
    ['offset', 'unknown'],
    ['starting_after', 'resource_missing'],
    ['ending_before', 'resource_missing'],
    ['starting_after', 'conflicting_parameters'],
    ['ending_before', 'conflicting_parameters'],
  ];
  expect(faultsIn(query).toSorted()).toEqual(expected.toSorted());
});
