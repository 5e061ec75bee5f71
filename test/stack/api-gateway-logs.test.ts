import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../../bin/testing/child-environment.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The app, as the CDK's command line runs it; cdk-nag's findings would end it with an error. */
const synthesize = async (context: object) => {
  const directory = temporaryDirectory();
  const CDK_CONTEXT_JSON = JSON.stringify(context);
  await promisify(execFile)(process.execPath, ['bin/app.ts'], {
    env: { ...childEnvironment(), CDK_OUTDIR: directory, CDK_CONTEXT_JSON },
  });
  return (name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8'));
};

test("API Gateway's log role is a stack of the account, which outlives the stages that need it", async () => {
  const read = await synthesize({});
  const { artifacts } = read('manifest.json');
  expect(artifacts['WorkforcePayments-dev'].dependencies).toContain(
    'WorkforcePayments-ApiGatewayLogs',
  );
  const { Resources } = read('WorkforcePayments-ApiGatewayLogs.template.json');
  const kept = Object.values<{ Type: string; DeletionPolicy: string }>(Resources).map(
    ({ Type, DeletionPolicy }) => [Type, DeletionPolicy],
  );
  expect(kept).toEqual(
    expect.arrayContaining([
      ['AWS::IAM::Role', 'Retain'],
      ['AWS::ApiGateway::Account', 'Retain'],
    ]),
  );
});

test('it is deployed where its stage is', async () => {
  const here = { account: '123456789012', region: 'eu-central-1' };
  const { artifacts } = (await synthesize({ stages: { dev: here } }))('manifest.json');
  const environments = ['WorkforcePayments-dev', 'WorkforcePayments-ApiGatewayLogs'].map(
    (stack) => artifacts[stack].environment,
  );
  expect(environments).toEqual(Array(2).fill('aws://123456789012/eu-central-1'));
});
