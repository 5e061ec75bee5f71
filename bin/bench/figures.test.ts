import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inTurns } from './in-turns.ts';
import { figure, tableOf } from './markdown-table.ts';
import { isMet, type Row } from './row.ts';
import { quantile, ratioOf, spreadOf } from './spread.ts';

test('a spread is the median and the quartiles, in whatever order the samples came', () => {
  expect(spreadOf([5, 1, 3, 2, 4])).toEqual({ median: 3, lower: 2, upper: 4, runs: 5 });
  expect(spreadOf([1, 2])).toEqual({ median: 1.5, lower: 1.25, upper: 1.75, runs: 2 });
  expect(spreadOf([7])).toEqual({ median: 7, lower: 7, upper: 7, runs: 1 });
});

test('a quantile lies among the samples, and a larger fraction gives no smaller one', () => {
  const samples = fc.array(fc.integer(), { minLength: 1 }).map((all) => all.sort((a, b) => a - b));
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(samples, fraction, fraction, (sorted, one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      expect(quantile(sorted, less)).toBeGreaterThanOrEqual(sorted[0] ?? 0);
      expect(quantile(sorted, more)).toBeLessThanOrEqual(sorted.at(-1) ?? 0);
      expect(quantile(sorted, less)).toBeLessThanOrEqual(quantile(sorted, more));
    }),
  );
});

test('a ratio is to the median of the base', () => {
  expect(ratioOf([2, 4, 6], [1, 2, 30])).toMatchObject({ median: 2, lower: 1.5, upper: 2.5 });
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

test('a figure has three digits that count', () => {
  expect([0.98765, 12.345, 1234.5, 0].map(figure)).toEqual(['0.988', '12.3', '1235', '0']);
});
