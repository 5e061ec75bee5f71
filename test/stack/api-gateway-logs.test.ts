import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../../bin/testing/child-environment.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The app, as the CDK's command line runs it; cdk-nag's findings would end it with an error. */
test("API Gateway's log role is a stack of the stage's account and region, and outlives the stages that need it", async () => {
  const directory = temporaryDirectory();
  const here = { account: '123456789012', region: 'eu-central-1' };
  const CDK_CONTEXT_JSON = JSON.stringify({ stages: { dev: here } });
  await promisify(execFile)(process.execPath, ['bin/app.ts'], {
    env: { ...childEnvironment(), CDK_OUTDIR: directory, CDK_CONTEXT_JSON },
  });
  const read = (name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8'));

  const { artifacts } = read('manifest.json');
  const [stage, logs] = ['WorkforcePayments-dev', 'WorkforcePayments-ApiGatewayLogs'];
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
