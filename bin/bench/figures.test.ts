import { expect, test } from 'vitest';
import { inTurns } from './in-turns.ts';
import { tableOf } from './markdown-table.ts';
import { isMet, type Row } from './row.ts';
import { ratioOf, spreadOf } from './spread.ts';

test('a ratio is to the median of the base, with its quartiles', () => {
  const ratios = ratioOf([10, 2, 6, 4, 8], [1, 2, 30]);
  expect(ratios).toEqual({ median: 3, lower: 2, upper: 4, runs: 5 });
  expect(spreadOf([2, 1])).toEqual({ median: 1.5, lower: 1.25, upper: 1.75, runs: 2 });
});

test('measurements take turns, forwards and backwards', async () => {
  const order: string[] = [];
  const measure = (name: string) => async () => order.push(name);
  const samples = await inTurns(3, { one: measure('one'), two: measure('two') });
  expect(order).toEqual(['one', 'two', 'two', 'one', 'one', 'two']);
  expect(samples).toEqual({ one: [1, 4, 5], two: [2, 3, 6] });
});

test('the table says whether a target is met', () => {
  const row = (median: number): Row => ({
    what: 'Something',
    measured: { median, lower: median, upper: median, runs: 2 },
    unit: '×',
    target: 0.9,
  });
  const rows = [row(0.9), row(0.91)];
  expect(rows.map(isMet)).toEqual([true, false]);
  const [, , ...lines] = tableOf(rows).split('\n');
  expect(lines.map((line) => /yes|NO/.exec(line)?.[0])).toEqual(['yes', 'NO']);
});
