import { expect, test } from 'vitest';
import { Throttle } from '../api-gateway/throttle.ts';

test('a throttle admits a burst, and then as many as the rate allows', () => {
  let nowMs = 0;
  const throttle = new Throttle(10, 2, () => nowMs);
  const admitted = () => [throttle.admit(), throttle.admit(), throttle.admit()];

  expect(admitted()).toEqual([true, true, false]);
  nowMs += 99;
  expect(throttle.admit()).toBe(false);
  nowMs += 1;
  expect(admitted()).toEqual([true, false, false]);
  nowMs += 60_000;
  expect(admitted()).toEqual([true, true, false]);
});
