import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { apiGatewayLogsOf } from '../../lib/stack/api-gateway-logs.ts';
import { createApp } from '../../lib/stack/app.ts';
import { readSettings } from '../../lib/stack/settings.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { type Resource, resourcesOf } from '../support/read-template.ts';
import { production } from '../support/synthesize-stage.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { withStages } from '../support/with-stages.ts';

/** Runs the app with these stages, as the CDK's command line does. */
const runApp = (stages: object) => {
  const outdir = temporaryDirectory();
  const { status, stderr } = spawnSync(process.execPath, ['bin/app.ts'], {
    env: { ...childEnvironment(), NODE_OPTIONS: withStages(stages), CDK_OUTDIR: outdir },
    encoding: 'utf8',
  });
  const read = (name: string) => JSON.parse(readFileSync(join(outdir, name), 'utf8'));
  return { status, stderr, read };
};

/** cdk-nag's findings would end the app with an error. */
test("each stage is a stack, which depends on that of API Gateway's log role there", () => {
  const { stage, ...here } = { ...production, permissionsBoundary: 'team' };
  const regions = ['eu-central-1', 'us-east-1'];
  const [eu, us] = regions.map((region) => ({ ...here, region }));
  const { status, read } = runApp({ [stage]: eu, 'prod-us': us });
  expect(status).toBe(0);
  const { artifacts } = read('manifest.json');
  for (const [index, name] of [stage, 'prod-us'].entries()) {
    const id = `WorkforcePayments-ApiGatewayLogs-${here.account}-${regions[index]}`;
    const [ofStage, logs] = [artifacts[`WorkforcePayments-${name}`], artifacts[id]];
    expect(ofStage.dependencies).toContain(id);
    const environment = `aws://${here.account}/${regions[index]}`;
    expect([ofStage, logs]).toMatchObject([{ environment }, { environment }]);
    expect(logs.properties.stackName).toBe('WorkforcePayments-ApiGatewayLogs');
    const [template, others] = [ofStage, logs].map(({ properties }) =>
      read(properties.templateFile),
    );
    const kept = Object.values<Resource>(others.Resources).map(
      ({ DeletionPolicy }) => DeletionPolicy,
    );
    expect(kept).toEqual(['Retain', 'Retain']);
    const roles = [template, others].flatMap((each) => resourcesOf(each, 'AWS::IAM::Role'));
    const boundaries = new Set(roles.map(([, { Properties }]) => Properties.PermissionsBoundary));
    expect([...boundaries]).toEqual([`arn:aws:iam::${here.account}:policy/team`]);
  }
});

test('the stages of an account and region share its log role', () => {
  const app = createApp();
  const logsOf = (stage: string) => apiGatewayLogsOf(app, readSettings(stage, { keepData: false }));
  expect(logsOf('qa')).toBe(logsOf('dev'));
});

test('a setting that is wrong ends in a sentence', () => {
  const { status, stderr } = runApp({ qa: { keepData: 'no' } });
  expect(stderr).toMatch(/^stages\.qa\.keepData must .+\.\n$/);
  expect(status).toBe(1);
});

test.each([
  [
    'a stage is there twice',
    'export const stages: Stages = { dev: { keepData: false }, dev: { keepData: false } };',
    'TS1117',
  ],
  [
    'a stage does not say whether it keeps its data',
    'export const stages: Stages = { dev: {} };',
    'TS2741',
  ],
  ['the stages have no name', 'export default { dev: { keepData: false } };', 'TS2339'],
  ['all is right', 'export const stages: Stages = { dev: { keepData: false } };', ''],
])('the CDK builds nothing unless stages.ts compiles: %s', (_, stages, fault) => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'bin'));
  cpSync('bin/command-line', join(directory, 'bin/command-line'), { recursive: true });
  for (const each of ['functions', 'lib', 'node_modules']) {
    symlinkSync(resolve(each), join(directory, each));
  }
  writeFileSync(
    join(directory, 'bin/stages.ts'),
    `import type { Stages } from '../lib/stack/stage-settings.ts';\n${stages}`,
  );
  const { build } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const { stdout } = spawnSync(build, { cwd: directory, shell: true, encoding: 'utf8' });
  expect(stdout.match(/TS\d+/)?.[0] ?? '').toBe(fault);
});
