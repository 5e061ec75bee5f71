import { expect, test } from 'vitest';
import { commandOf, HistoryCount } from './report.ts';

test('the command that repeats a run names its bug', () => {
  const run = { histories: 40, seed: 7 };
  expect(commandOf(run)).toBe('npm run chaos -- --histories 40 --seed 7');
  expect(commandOf({ ...run, bug: 'skip-claim' })).toBe(`${commandOf(run)} --bug skip-claim`);
});

test('shrinking is announced, and its histories are counted apart', () => {
  const count = new HistoryCount({ histories: 40, shrink: true });
  expect(count.add(false)).toEqual({ counted: '1 of 40 histories' });
  expect(count.add(true)).toEqual({
    counted: '2 of 40 histories',
    news: 'History 2 leads to a violation. Looking for the shortest history that does.',
  });
  expect(count.add(true)).toEqual({ counted: '1 shorter histories' });
  expect(count.add(false)).toEqual({ counted: '2 shorter histories' });
});

test('a run that does not shrink announces the violation alone', () => {
  const count = new HistoryCount({ histories: 40, shrink: false });
  expect(count.add(true).news).toBe('History 1 leads to a violation.');
});
