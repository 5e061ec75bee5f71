import { expect, test } from 'vitest';
import { comparisonOf, inTurns } from './in-turns.ts';
import { ratioOf, spreadOf } from './spread.ts';
import { tableOf } from './table.ts';

test('a ratio is to the median of the base, with its quartiles', () => {
  const ratios = ratioOf([10, 2, 6, 4, 8], [1, 2, 30]);
  expect(ratios).toEqual({ median: 3, lower: 2, upper: 4 });
  expect(spreadOf([2, 1])).toEqual({ median: 1.5, lower: 1.25, upper: 1.75 });
});

test('measurements take turns, forwards and backwards', async () => {
  const order: string[] = [];
  const measure = (name: string) => async () => order.push(name);
  const samples = await inTurns(3, { one: measure('one'), two: measure('two') });
  expect(order).toEqual(['one', 'two', 'two', 'one', 'one', 'two']);
  expect(samples).toEqual({ one: [1, 4, 5], two: [2, 3, 6] });
});

test('the table says which target is exceeded', () => {
  const rows = [[9], [9.1]].map((ours) => comparisonOf('Something', 'floor', ours, [10], 0.9));
  expect(tableOf(rows).match(/0\.9( exceeded)?$/gm)).toEqual(['0.9', '0.9 exceeded']);
});
