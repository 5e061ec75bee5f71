import { expect, test } from 'vitest';
import { everything, synthesize, templateOf } from '../support/synthesis.ts';
import { developmentTemplate } from '../support/synthesized.ts';

test('two syntheses of development give the same template', async () => {
  expect(await synthesize({})).toEqual(developmentTemplate());
});

test('two syntheses of production give the same template', async () => {
  expect(await synthesize(everything)).toEqual(await templateOf(everything));
});
