import { expect, test } from 'vitest';
import { everything, synthesize, templateOf } from '../support/synthesize-stage.ts';

test('two syntheses of production give the same template', async () => {
  expect(await synthesize(everything)).toEqual(await templateOf(everything));
});
