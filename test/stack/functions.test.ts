import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { functionNames } from '../../lib/bundles/bundles.ts';
import { developmentTemplate, functionsOf } from '../support/read-template.ts';
import { production, synthesizedApp } from '../support/synthesize-stage.ts';

const functions = functionsOf(developmentTemplate());

test('there is one function for each file directly under functions', () => {
  expect(
    functionNames.toSorted(),
    'An endpoint has a row in functions/domain/routes.ts, a consumer one in functions/domain/outbox.ts.',
  ).toEqual([...functions.keys()].sort());
});

test.each([
  ['are deployed where stack traces read them', {}, true],
  ['are deployed nowhere else', production, false],
])('source maps %s', async (_, context, areDeployed) => {
  const { directory } = (await synthesizedApp(context)).synth();
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => file.endsWith('.mjs'))).not.toEqual([]);
  expect(files.some((file) => file.endsWith('.map'))).toBe(areDeployed);
});
