import { expect, test } from 'vitest';
import { runCommand } from '../admin/run-admin.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { serverOf } from '../support/servers.ts';

/** Runs `npm run deploy` on a stack whose table in service is an imported one, or on none. */
const deploy = async (imported: string | undefined, ...context: string[]) => {
  const cloudFormation = await serverOf((_, response) => {
    response.setHeader('Content-Type', 'text/xml').writeHead(imported === undefined ? 400 : 200);
    const output = `<member><OutputKey>ImportedTable</OutputKey><OutputValue>${imported}</OutputValue></member>`;
    response.end(
      imported === undefined
        ? '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id WorkforcePayments-dev does not exist</Message></Error></ErrorResponse>'
        : `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>${imported && output}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    );
  });
  // Of `cdk deploy` only its version: that it was reached is what counts.
  const { code, stdout, stderr } = await runCommand(
    'bin/deploy.ts',
    [...context, '--version'],
    '',
    {
      ...childEnvironment(),
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
  );
  return { code, isDeployed: /^2\.\d+/m.test(stdout), stderr };
};

test('--help says what it adds to cdk deploy', async () => {
  const { code, stdout } = await runCommand('bin/deploy.ts', ['--help'], '', childEnvironment());
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: npm run deploy -- .*imported table.*npx cdk deploy --help/s);
});

test.each([
  ['the stage was never deployed', undefined, []],
  ['its stack makes the table', '', []],
  ['the imported table is named', 'Restored', ['--context', 'devTable=Restored']],
  [
    'another one is imported',
    'Restored',
    ['--context=devTable=Again', '--import-existing-resources'],
  ],
])('a deployment goes on if %s', async (_, imported, args) => {
  expect(await deploy(imported, ...args)).toMatchObject({ code: 0, isDeployed: true });
});

test.each([
  ['an empty one', []],
  ['an empty one', ['--import-existing-resources']],
  ['Other', ['-c', 'devTable=Other']],
])('a deployment that would replace the imported table with %s is refused', async (other, args) => {
  const { code, isDeployed, stderr } = await deploy('Restored', ...args);
  expect([code, isDeployed]).toEqual([1, false]);
  expect(stderr).toContain(`would replace it with ${other}. Set "devTable": "Restored" under`);
});
