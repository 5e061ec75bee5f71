import { expect, test } from 'vitest';
import { developmentTemplate, everything, synthesize } from '../support/synthesized.ts';

test('two syntheses of development give the same template', async () => {
  expect(await synthesize({})).toEqual(developmentTemplate());
});

test('two syntheses of production give the same template', async () => {
  expect(await synthesize(everything)).toEqual(await synthesize(everything));
});
