import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outbox, queueVariable } from '../../functions/domain/outbox.ts';
import { routes } from '../../functions/domain/routes.ts';
import {
  developmentTemplate,
  functionsOf,
  mentioned,
  type Resource,
  resourceOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { everything, templateOf, variants } from '../support/synthesize-stage.ts';

const functions = functionsOf(developmentTemplate());

const knownVariables = new Set([
  ...['POWERTOOLS_SERVICE_NAME', 'POWERTOOLS_METRICS_NAMESPACE', 'NODE_OPTIONS', 'REFERENCE_URL'],
  ...['TABLE_NAME', 'SENDER', 'CONFIGURATION_SET', 'CURSOR_SECRET_ARN', 'EVENT_BUS'],
  ...['DEAD_LETTERS_URL', ...Object.keys(outbox).map(queueVariable)],
]);

const requestFunctions = [
  'authorize',
  ...Object.values(routes).map(({ functionName }) => functionName),
];

test('there is one function for each file directly under functions', () => {
  const files = readdirSync(join(import.meta.dirname, '../../functions'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replace(/\.ts$/, ''));
  // CodeDeploy's hook comes with the canary alone: test/stack/rollout.test.ts.
  const expected = [...functions.keys(), 'validate-versions'];
  expect(
    files.sort(),
    'An endpoint has a row in functions/domain/routes.ts, a consumer one in functions/domain/outbox.ts.',
  ).toEqual(expected.sort());
});

describe.each(variants)('in %s', async (_, context) => {
  const template = await templateOf(context);

  describe.each([...functions.keys()])('%s', (functionName) => {
    const [, { Properties: properties }] = functionsOf(template).get(functionName) as [
      string,
      Resource,
    ];

    test('runs on Graviton, on the Node.js that this project is written for, and is traced', () => {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        TracingConfig: { Mode: 'Active' },
      });
    });

    test('logs to a group of its own', () => {
      const [group = ''] = mentioned(properties.LoggingConfig.LogGroup);
      const users = [...functionsOf(template).values()].filter(([, lambda]) =>
        mentioned(lambda.Properties.LoggingConfig.LogGroup).includes(group),
      );
      expect(users).toHaveLength(1);
    });

    test('has no secret in its environment, and no unlisted variable', () => {
      const variables: Record<string, unknown> = properties.Environment.Variables;
      expect(JSON.stringify(variables)).not.toContain('{{resolve:');
      const others = Object.keys(variables).filter((name) => !knownVariables.has(name));
      expect(others).toEqual([]);
    });

    test('finishes before who waits for it gives up', () => {
      // API Gateway waits for 29 s; a queue or the stream for as long as a function may run.
      expect(properties.Timeout).toBeLessThanOrEqual(
        requestFunctions.includes(functionName) ? 28 : 30,
      );
    });
  });
});

describe('reserved concurrency', () => {
  const reserved = (template: SynthesizedTemplate) =>
    Object.fromEntries(
      [...functionsOf(template)].map(([name, [, { Properties }]]) => [
        name,
        Properties.ReservedConcurrentExecutions,
      ]),
    );

  test('is for each function that a caller waits for', async () => {
    const expected = Object.fromEntries(
      [...functions.keys()].map((name) => [
        name,
        requestFunctions.includes(name) ? Number(everything.reservedConcurrency) : undefined,
      ]),
    );
    expect(reserved(await templateOf(everything))).toEqual(expected);
  });

  test('is for none where it is not set', () => {
    expect(Object.values(reserved(developmentTemplate())).filter(Boolean)).toEqual([]);
  });
});

test('the key of cursors is made by Secrets Manager, and stands in no template', () => {
  const [secret, { Properties }] = resourceOf(developmentTemplate(), 'AWS::SecretsManager::Secret');
  expect(Properties).not.toHaveProperty('SecretString');
  expect(Properties.GenerateSecretString).toMatchObject({ PasswordLength: 64 });
  const [, list] = functions.get('list-sandboxes') ?? [];
  expect(list?.Properties.Environment.Variables.CURSOR_SECRET_ARN).toEqual({ Ref: secret });
});
