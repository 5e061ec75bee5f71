import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { runProcess, stageOf } from './admin/test/run-admin.ts';
import { copyOfProject } from './local-run/test/start.ts';
import { childEnvironment } from './testing/child-environment.ts';

/** Runs `npm run deploy` on a stack whose table in service is an imported one, or on none. */
const deploy = (imported: string | undefined, ...context: string[]) =>
  deployOver(
    imported === undefined ? undefined : imported === '' ? {} : { ImportedTable: imported },
    ...context,
  );

/** Runs `npm run deploy` on a stack with these outputs, or on none. */
const deployOver = (outputs: Readonly<Record<string, string>> | undefined, ...context: string[]) =>
  deployWith(outputs, context);

/** Runs it with these variables too, in a copy of the project. */
const deployWith = async (
  outputs: Readonly<Record<string, string>> | undefined,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  project = '.',
) => {
  const { environment } = await stageOf(outputs);
  // Of `cdk deploy` only its version: that it was reached is what counts.
  const { code, stdout, stderr } = await runProcess(
    join(project, 'bin/deploy.ts'),
    [...args, '--version'],
    '',
    // The CDK remembers accounts at home.
    { ...environment, AWS_REGION: 'eu-central-1', HOME: temporaryDirectory(), ...variables },
  );
  return { code, isDeployed: /^2\.\d+/m.test(stdout), stderr };
};

test('--help says what it adds to cdk deploy', async () => {
  const { code, stdout } = await runProcess('bin/deploy.ts', ['--help'], '', childEnvironment());
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: npm run deploy -- .*imported table.*npx cdk deploy --help/s);
});

test.each([
  ['the stage was never deployed', undefined, []],
  ['its stack makes the table', '', []],
  ['the imported table is named', 'Restored', ['--context', 'table=Restored']],
  ['another one is imported', 'Restored', ['--context=table=Again', '--import-existing-resources']],
])('a deployment goes on if %s', async (_, imported, args) => {
  expect(await deploy(imported, ...args)).toMatchObject({ code: 0, isDeployed: true });
});

test.each<[Record<string, string>, string[]]>([
  [{ AWS_DEFAULT_REGION: 'eu-central-1' }, []],
  [{}, ['--region', 'eu-central-1']],
])('the region may be given as %j %j', async (variables, args) => {
  const { environment } = await stageOf({ ImportedTable: 'Restored' });
  const given = { ...environment, HOME: temporaryDirectory(), ...variables };
  const { stderr } = await runProcess('bin/deploy.ts', [...args, '--version'], '', given);
  expect(stderr).toContain('The table in service, Restored, is an imported one');
});

test.each([
  ['an empty one', []],
  ['an empty one', ['--import-existing-resources']],
  ['Other', ['-c', 'table=Other']],
  ['Other', ['-c', 'table=Other', '--import-existing-resources=false']],
  ['Other', ['-c', 'table=Other', '--import-existing-resources', 'false']],
  ['Other', ['-c', 'table=Other', '--import-existing-resources', '--no-import-existing-resources']],
])('a deployment that would replace the imported table with %s is refused', async (other, args) => {
  const { code, isDeployed, stderr } = await deploy('Restored', ...args);
  expect([code, isDeployed]).toEqual([1, false]);
  expect(stderr).toContain(`would replace it with ${other}. Set "table": "Restored" under`);
});

describe('a stage that keeps its data', () => {
  const kept = { KeepData: 'true' };
  const staging = ['--context', 'stage=staging'];
  const context = JSON.stringify({ context: { stage: 'staging' } });

  test.each<[string, { file?: [string, string]; args?: string[]; CDK_CONTEXT?: string }]>([
    ['--context', { args: staging }],
    ['-c=', { args: ['-c=stage=staging'] }],
    ['CDK_CONTEXT', { CDK_CONTEXT: 'stage=staging' }],
    ['cdk.json', { file: ['cdk.json', context] }],
    ['cdk.context.json', { file: ['cdk.context.json', '{"stage":"staging"}'] }],
    ['~/.cdk.json', { file: ['.cdk.json', context] }],
  ])(
    'is found in %s',
    async (_, { file: [name, text] = ['none', ''], args = [], ...variables }) => {
      const project = copyOfProject();
      writeFileSync(join(project, name), text);
      const environment = { ...variables, HOME: project };
      const { code, isDeployed, stderr } = await deployWith(kept, args, environment, project);
      expect([code, isDeployed]).toEqual([1, false]);
      expect(stderr).toMatch(/^error: The stage staging keeps its data: /);
    },
  );

  test('is protected where the CDK has other credentials', async () => {
    const profile = '[profile other]\naws_access_key_id = other\naws_secret_access_key = other\n';
    const AWS_CONFIG_FILE = join(temporaryDirectory(), 'config');
    writeFileSync(AWS_CONFIG_FILE, profile);
    const variables = { AWS_CONFIG_FILE, CDK_PROFILE: 'other' };
    const { code, isDeployed, stderr } = await deployWith({}, [], variables);
    expect([code, isDeployed]).toEqual([1, false]);
    expect(stderr).toContain('The CDK would deploy to another account, other: add --profile.');
  });

  test('is protected when a deployment forgets the setting', async () => {
    const { code, isDeployed, stderr } = await deployOver(kept, ...staging);
    expect([code, isDeployed]).toEqual([1, false]);
    expect(stderr).toMatch(/^error: The stage staging keeps its data: /);
  });

  test.each([
    ['keeps it', [...staging, '--context', 'keepData=true']],
    ['gives it up with a word in the same command', [...staging, '-c', 'keepData=false']],
  ])('is deployed by a command that %s', async (_, context) => {
    expect(await deployOver(kept, ...context)).toMatchObject({ code: 0, isDeployed: true });
  });
});

describe('.ci/deploy', () => {
  /**
   * Runs the script with an npm that writes down what it is to run and deploys with this code, and
   * an AWS CLI that answers this about the stack.
   */
  const ciDeploy = async (
    code: number,
    stack = 'echo UPDATE_COMPLETE',
    { keepData = 'false', ...variables }: Readonly<Record<string, string>> = {},
  ) => {
    const directory = temporaryDirectory();
    const calls = join(directory, 'calls');
    const commands = {
      npm: `echo "$@" | sed 's/ --silent//' >> "${calls}"\n[ "$2" != deploy ] || exit ${code}`,
      aws: `[ "$4" = WorkforcePayments-prod ] || exit 9
        case "$6" in
          *KeepData*) echo ${keepData} ;;
          *ApiUrl*) echo https://api.company.example/ ;;
          *) ${stack} ;;
        esac`,
    };
    for (const [name, script] of Object.entries(commands)) {
      writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const PATH = `${directory}${delimiter}${process.env.PATH}`;
    const args = ['.ci/deploy', 'prod', '--context', 'sender=a@example.com'];
    const { failed, stdout } = await promisify(execFile)('bash', args, {
      env: { ...childEnvironment(), ...variables, PATH },
    }).then(
      (done) => ({ failed: undefined, ...done }),
      (error) => ({ failed: error.code, ...error }),
    );
    return { failed, stdout, calls: readFileSync(calls, 'utf8').trim().split('\n') };
  };

  test('asks nobody: in the background, `cdk deploy` takes no answer for a no and for success', async () => {
    const { failed, stdout, calls } = await ciDeploy(0);
    expect([failed, stdout]).toEqual([undefined, '']);
    expect(calls).toContain(
      'run deploy -- --context stage=prod --require-approval never --context sender=a@example.com',
    );
    expect(calls.at(-1)).toBe('run smoke -- --stage prod --junit smoke.xml');
  });

  test('has a stage that keeps its data tested with a token, and never through its table', async () => {
    const token = { WFP_TOKEN: 'wfp_test_x', SMOKE_WORKSPACE: 'wsp_test_x', keepData: 'true' };
    const { failed, calls } = await ciDeploy(0, undefined, token);
    expect(failed).toBeUndefined();
    expect(calls.at(-1)).toBe(
      'run smoke -- --url https://api.company.example/ --workspace wsp_test_x --junit smoke.xml',
    );
    expect(calls.join()).not.toContain('--stage');
    const { failed: untested, calls: none } = await ciDeploy(0, undefined, { keepData: 'true' });
    expect([untested, none.filter((each) => each.includes('smoke'))]).toEqual([1, []]);
  });

  test('fails with the deployment, without a last run of the tests', async () => {
    const { failed, calls } = await ciDeploy(3);
    expect(failed).toBe(3);
    expect(calls.at(-1)).not.toContain('--junit');
  });

  test.each([
    ['is new', "echo 'Stack with id WorkforcePayments-prod does not exist' >&2; exit 254"],
    ['was not created last time', 'echo ROLLBACK_COMPLETE'],
    ['has only a change set', 'echo REVIEW_IN_PROGRESS'],
  ])(
    'skips the mails, and says so, where the stack %s: its sender is not verified',
    async (_, stack) => {
      const { failed, stdout, calls } = await ciDeploy(0, stack);
      expect(failed).toBeUndefined();
      expect(calls.at(-1)).toBe('run smoke -- --stage prod --junit smoke.xml --skip a mail to');
      expect(stdout).toMatch(/open .+link.+npm run smoke -- --stage prod mails/is);
    },
  );

  test.each([
    ['has rolled an update back', 'echo UPDATE_ROLLBACK_COMPLETE'],
    ['cannot be read', "echo 'Unable to locate credentials' >&2; exit 253"],
  ])('tests the mails too where the stack %s', async (_, stack) => {
    expect((await ciDeploy(0, stack)).calls.at(-1)).toBe(
      'run smoke -- --stage prod --junit smoke.xml',
    );
  });
});
