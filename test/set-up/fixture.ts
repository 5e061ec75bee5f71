import { beforeAll, describe, expect, test } from 'vitest';

describe('a set-up that fails', () => {
  beforeAll(() => {
    throw new Error('The table is busy.');
  });
  test('first', () => expect(true).toBe(true));
  describe('and what is within', () => {
    test('second', () => expect(true).toBe(true));
  });
});

test('runs', () => expect(true).toBe(true));
test.skip('is left out', () => expect(true).toBe(false));
