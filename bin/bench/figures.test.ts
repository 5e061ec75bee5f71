import { expect, test } from 'vitest';
import { inTurns, rowOf, summaryOf } from './figures.ts';

test('a ratio is to the median of the base, with its quartiles', () => {
  const row = rowOf('Something', 'floor', [
    [1, 2, 30],
    [10, 2, 6, 4, 8],
  ]);
  expect(row).toMatchObject({ ms: '6/2', ratio: '3', quartiles: '2–4' });
  expect(rowOf('', '', [[1], [2, 1]])).toMatchObject({ ratio: '1.5', quartiles: '1.25–1.75' });
});

test('measurements take turns, forwards and backwards', async () => {
  const order: string[] = [];
  const measure = (name: string) => async () => order.push(name);
  const samples = await inTurns(3, measure('one'), measure('two'));
  expect(order).toEqual(['one', 'two', 'two', 'one', 'one', 'two']);
  expect(samples).toEqual([
    [1, 4, 5],
    [2, 3, 6],
  ]);
});

test('a row says which target is exceeded', () => {
  const rows = [9, 9.1].map((ours) => rowOf('Something', 'floor', [[10], [ours]], 0.9));
  expect(rows.map((row) => row['at most'])).toEqual(['0.9', '0.9 exceeded']);
  expect(summaryOf([...rows, rowOf('', '', [[1], [2]])])).toBe('1 of 2 targets met.');
});
