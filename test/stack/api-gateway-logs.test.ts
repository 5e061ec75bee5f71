import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../../bin/testing/child-environment.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test("API Gateway's log role is a stack of the account, which outlives the stages that need it", async () => {
  const directory = temporaryDirectory();
  // As the CDK's command line runs it; cdk-nag's findings would end it with an error.
  await promisify(execFile)(process.execPath, ['bin/app.ts'], {
    env: { ...childEnvironment(), CDK_OUTDIR: directory },
  });
  const read = (name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8'));
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
