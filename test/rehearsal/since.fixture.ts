import { expect, test } from 'vitest';
import { since } from '../support/given-service.ts';

test('holds in every release', () => expect(true).toBe(true));

test.each(['1.9.0', '1.10.0', '2.0.0'])('holds since %s', (release) => {
  since(release);
  expect(true).toBe(true);
});
