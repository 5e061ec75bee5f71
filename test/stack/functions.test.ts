import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { functionNames } from '../../lib/bundles/bundles.ts';
import {
  developmentTemplate,
  functionsOf,
  mentioned,
  type Resource,
} from '../support/read-template.ts';
import { production, synthesizedApp, templateOf, variants } from '../support/synthesize-stage.ts';

const functions = functionsOf(developmentTemplate());

const requestFunctions = [
  'authorize',
  ...Object.values(routes).map(({ functionName }) => functionName),
];

test('there is one function for each file directly under functions', () => {
  // It comes with the canary alone: test/stack/rollout.test.ts.
  const expected = [...functions.keys(), 'load-version'];
  expect(
    functionNames.toSorted(),
    'An endpoint has a row in functions/domain/routes.ts, a consumer one in functions/domain/outbox.ts.',
  ).toEqual(expected.sort());
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

describe.each(variants)('in %s', async (_, context) => {
  const template = await templateOf(context);

  describe.each([...functions.keys()])('%s', (functionName) => {
    const [, { Properties: properties }] = functionsOf(template).get(functionName) as [
      string,
      Resource,
    ];

    test('logs to a group of its own', () => {
      const [group = ''] = mentioned(properties.LoggingConfig.LogGroup);
      const users = [...functionsOf(template).values()].filter(([, lambda]) =>
        mentioned(lambda.Properties.LoggingConfig.LogGroup).includes(group),
      );
      expect(users).toHaveLength(1);
    });

    test('finishes before who waits for it gives up', () => {
      // API Gateway waits for 29 s; a queue or the stream for as long as a function may run.
      expect(properties.Timeout).toBeLessThanOrEqual(
        requestFunctions.includes(functionName) ? 28 : 30,
      );
    });
  });
});
