import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thrownAt } from '../lambda/function-error.ts';

const here = join(process.cwd(), 'functions/create-sandbox.ts:14:9');

test.each([
  ['a call', `    at create (${here})`, ' at functions/create-sandbox.ts:14:9'],
  ['a module', `    at async ${here}`, ' at functions/create-sandbox.ts:14:9'],
  ['a package', '    at send (/x/node_modules/sdk/index.js:1:2)', ''],
])('the place of an error in %s', (_, line, place) => {
  expect(thrownAt(['Error: at load', line])).toBe(place);
});
