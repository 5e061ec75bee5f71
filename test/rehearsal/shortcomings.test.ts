import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import type { SynthesizedTemplate } from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';
import { synthesizeStage } from './assembly.ts';
import { failingTests } from './shortcomings.ts';

const lacking = [
  ...['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::Events::Archive'],
  'AWS::Logs::QueryDefinition',
];
/** The policy is that of the hook that CodeDeploy calls. */
const lackingInProd = [
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::IAM::Policy',
];

test.each([
  ['dev', {}, lacking],
  ['prod', production, [...lacking, ...lackingInProd].sort()],
])(
  'the rehearsal of %s leaves out what MiniStack lacks, and says so',
  async (_, context, types) => {
    const real = await templateOf(context);
    const { directory, stackName, leftOut } = await synthesizeStage(context, buildDirectory());
    const text = readFileSync(join(directory, `${stackName}.template.json`), 'utf8');
    const rehearsed = JSON.parse(text) as SynthesizedTemplate;

    const missing = Object.entries(real.Resources).filter(([id]) => !(id in rehearsed.Resources));
    expect([...new Set(missing.map(([, { Type }]) => Type))].sort()).toEqual(types);
    for (const [, { Type, Properties }] of missing) {
      if (Type === 'AWS::CloudWatch::Alarm') expect(Properties.Metrics).toBeDefined();
    }
    for (const type of types) expect(leftOut.join()).toContain(type);
    const counts = leftOut.map((sentence) => Number(/\d+/.exec(sentence)?.[0]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(missing.length);
    for (const [id, resource] of Object.entries(rehearsed.Resources)) {
      const { UpdatePolicy: _, DependsOn, ...kept } = real.Resources[id] ?? {};
      const left = DependsOn?.filter((name) => name in rehearsed.Resources);
      expect(resource).toEqual(left ? { ...kept, DependsOn: left } : kept);
    }
    const { EventArchiveArn: archive, ...outputs } = real.Outputs;
    expect(archive).toBeDefined();
    expect(rehearsed).toEqual({ ...real, Resources: rehearsed.Resources, Outputs: outputs });
  },
);

test('the rehearsal skips tests that exist', () => {
  const files = globSync('test/service/*.test.ts').map((file) => readFileSync(file, 'utf8'));
  for (const title of Object.keys(failingTests)) expect(files.join()).toContain(title);
});
