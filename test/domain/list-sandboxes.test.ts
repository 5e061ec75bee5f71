import { expect, test } from 'vitest';
import { inQuery } from '../../functions/domain/faults.ts';
import { ListSandboxes } from '../../functions/domain/sandbox.ts';
import { faultsIn } from './body-faults.ts';

/** What is wrong with a query, as `[parameter, code]`. */
const wrongIn = (query: unknown) =>
  faultsIn(ListSandboxes, query, inQuery).map((fault) => [
    'parameter' in fault && fault.parameter,
    fault.code,
  ]);

test('a limit is no other text than a whole number from 1 to 100', () => {
  for (let limit = 1; limit <= 100; limit += 1) expect(wrongIn({ limit: `${limit}` })).toEqual([]);
  const others = '0,101,1000,-1,+1,01,1.0,.5,1e1,1n,0x1,\u0661, 1,1 ,1\n,Infinity,1_0'.split(',');
  for (const limit of ['', ...others]) {
    expect(wrongIn({ limit })).toEqual([['limit', 'invalid_format']]);
  }
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
  expect(wrongIn(query).toSorted()).toEqual(expected.toSorted());
});
