import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCdk } from '../support/run-cdk.ts';

/** Names that the CDK and its command line give to their own context. */
const ofCdk = {
  'aws-cdk:enableDiffNoFail': 'true',
  '@aws-cdk/core:newStyleStackSynthesis': true,
  'availability-zones:account=123456789012:region=eu-central-1': ['eu-central-1a'],
  'acknowledged-issue-numbers': [34892],
  'cli-telemetry': false,
  'cdk-migrate': true,
  'assets-ecr-repository-name': 'assets',
};

/** The app, as the CDK's command line runs it; cdk-nag's findings would end it with an error. */
test("API Gateway's log role is a stack of the stage's account and region, and outlives the stages that need it", () => {
  const here = { account: '123456789012', region: 'eu-central-1' };
  const files = { 'cdk.json': { stages: { qa: here } }, '~/.cdk.json': ofCdk };
  const { status, directory } = runCdk(files, 'synth', '--quiet', '-c', 'stage=qa');
  expect(status).toBe(0);
  const read = (name: string) => JSON.parse(readFileSync(join(directory, 'cdk.out', name), 'utf8'));

  const { artifacts } = read('manifest.json');
  const [stage, logs] = ['WorkforcePayments-qa', 'WorkforcePayments-ApiGatewayLogs'];
  expect(artifacts[stage].dependencies).toContain(logs);
  const environments = [stage, logs].map((stack) => artifacts[stack].environment);
  expect(environments).toEqual(Array(2).fill('aws://123456789012/eu-central-1'));
  const { Resources } = read(`${logs}.template.json`);
  const kept = Object.values<{ Type: string; DeletionPolicy: string }>(Resources).map(
    ({ Type, DeletionPolicy }) => `${Type} ${DeletionPolicy}`,
  );
  expect(kept).toContain('AWS::IAM::Role Retain');
  expect(kept).toContain('AWS::ApiGateway::Account Retain');
});
