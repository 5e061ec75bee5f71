import { expect, test } from 'vitest';
import { HistoryCount } from './history-count.ts';

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
