import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { developmentTemplate, functionsOf } from '../support/synthesized.ts';

const functions = functionsOf(developmentTemplate());

test('there is one function for each file directly under functions', () => {
  const files = readdirSync(join(import.meta.dirname, '../../functions'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replace(/\.ts$/, ''));
  expect([...functions.keys()].sort()).toEqual(files.sort());
});

describe.each([...functions])('%s', (_, [, { Properties }]) => {
  test('runs on the Node.js that this project is written for', () => {
    expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Handler: 'index.handler' });
  });

  test('has no secret in its environment', () => {
    const variables: Record<string, unknown> = Properties.Environment.Variables;
    expect(JSON.stringify(variables)).not.toContain('resolve:secretsmanager');
    for (const name of Object.keys(variables)) {
      expect(name).toMatch(/^(POWERTOOLS_SERVICE_NAME|TABLE_NAME|SENDER|\w+_URL|\w+_ARN)$/);
    }
  });
});

test('no two functions share a log group', () => {
  const groups = [...functions.values()].map(([, { Properties }]) =>
    JSON.stringify(Properties.LoggingConfig.LogGroup),
  );
  expect(new Set(groups).size).toBe(groups.length);
});
