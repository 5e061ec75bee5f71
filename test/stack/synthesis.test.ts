import { expect, test } from 'vitest';
import { developmentTemplate } from '../support/read-template.ts';
import { everything, synthesize, templateOf } from '../support/synthesize-stage.ts';

test('two syntheses of development give the same template', async () => {
  expect(await synthesize({})).toEqual(developmentTemplate());
});

test('two syntheses of production give the same template', async () => {
  expect(await synthesize(everything)).toEqual(await templateOf(everything));
});
