import { describe, expect, test } from 'vitest';
import { functionsOf } from '../support/read-template.ts';
import { templateOf, variants } from '../support/synthesize-stage.ts';

/** Upper limits ("AWS CloudFormation quotas"; "AWS Lambda quotas"). */
const limits = {
  resources: 500,
  templateBytes: 1024 * 1024,
  outputs: 200,
  parameters: 200,
  environmentBytes: 4096,
};

describe.each(variants)('the template of %s', async (_, context) => {
  const template = await templateOf(context);
  const used: Record<keyof typeof limits, number> = {
    resources: Object.keys(template.Resources).length,
    templateBytes: Buffer.byteLength(JSON.stringify(template, null, 1)),
    outputs: Object.keys(template.Outputs).length,
    parameters: Object.keys(template.Parameters).length,
    environmentBytes: Math.max(
      ...[...functionsOf(template).values()].map(([, { Properties }]) =>
        environmentBytes(Properties.Environment.Variables),
      ),
    ),
  };

  test.each(Object.keys(limits) as (keyof typeof limits)[])(
    'leaves half of the %s that there may be',
    (limit) => {
      expect(used[limit]).toBeGreaterThan(0);
      expect(used[limit]).toBeLessThanOrEqual(limits[limit] / 2);
    },
  );
});

/** The names and values of an environment; those known only after deployment are taken as long. */
const environmentBytes = (variables: Record<string, unknown>) =>
  Object.entries(variables)
    .map(([name, value]) => name.length + (typeof value === 'string' ? value.length : 300))
    .reduce((sum, length) => sum + length, 0);
