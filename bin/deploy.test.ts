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

interface Given {
  readonly variables?: Readonly<Record<string, string>>;
  /** What the context of each file is. */
  readonly files?: Readonly<Record<string, object>>;
}

const project = copyOfProject();

/** Runs it with these variables and files too. */
const deployWith = async (
  outputs: Parameters<typeof stageOf>[0],
  args: readonly string[],
  { variables = {}, files = {} }: Given = {},
) => {
  const { environment, asked, regions } = await stageOf(outputs);
  // The CDK remembers accounts at home.
  const HOME = temporaryDirectory();
  const {
    'cdk.json': context = {},
    'cdk.context.json': cached = {},
    '.cdk.json': own = {},
  } = files;
  const write = (path: string, content: object) => writeFileSync(path, JSON.stringify(content));
  write(join(project, 'cdk.json'), { app: 'node bin/app.ts', context });
  write(join(project, 'cdk.context.json'), cached);
  write(join(HOME, '.cdk.json'), { context: own });
  // Of `cdk deploy` only its version: that it was reached is what counts.
  const { code, stdout, stderr } = await runProcess(
    join(project, 'bin/deploy.ts'),
    [...args, '--version'],
    '',
    { ...environment, AWS_REGION: 'eu-central-1', HOME, ...variables },
  );
  return { code, isDeployed: /^2\.\d+/m.test(stdout), stdout, stderr, asked, regions };
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
  [{ AWS_DEFAULT_REGION: 'eu-west-1' }, []],
  [{}, ['--region', 'eu-west-1']],
])('the region of a stage that has none may be given as %j %j', async (variables, args) => {
  const given = { variables: { AWS_REGION: '', ...variables } };
  expect((await deployWith({}, args, given)).regions).toEqual(['eu-west-1']);
});

test.each([
  ['an empty one', []],
  ['an empty one', ['--import-existing-resources']],
  ['an empty one', ['-c', 'table=', '--import-existing-resources']],
  ['Other', ['-c', 'table=Other']],
  ['Other', ['-c', 'table=Other', '--import-existing-resources=false']],
  ['Other', ['-c', 'table=Other', '--import-existing-resources', 'false']],
  ['Other', ['-c', 'table=Other', '--import-existing-resources', '--no-import-existing-resources']],
])('a deployment that would replace the imported table with %s is refused', async (other, args) => {
  const { code, isDeployed, stderr } = await deploy('Restored', ...args);
  expect([code, isDeployed]).toEqual([1, false]);
  expect(stderr).toContain(`would replace it with ${other}. Set "table": "Restored" under`);
});

test.each([
  ['an imported one', { TableName: 'Restored', ImportedTable: 'Restored' }],
  ["the stack's own", { TableName: 'WorkforcePayments-dev-Table' }],
])('a file alone replaces no table, such as %s', async (_, outputs) => {
  const files = { 'cdk.json': { stages: { dev: { table: 'Typo' } } } };
  const importing = '--import-existing-resources';
  const { isDeployed, stderr } = await deployWith(outputs, [importing], { files });
  expect([isDeployed, stderr]).toEqual([false, expect.stringContaining('replace it with Typo.')]);
  const said = ['-c', 'table=Typo', importing];
  expect(await deployWith(outputs, said, { files })).toMatchObject({ isDeployed: true });
});

describe('a stage that keeps its data', () => {
  const kept = { KeepData: 'true' };
  const staging = ['--context', 'stage=staging'];

  test.each<[string, string[], Given]>([
    ['--context', staging, {}],
    ['-c=', ['-c=stage=staging'], {}],
    ['CDK_CONTEXT', [], { variables: { CDK_CONTEXT: 'stage=staging' } }],
  ])('is named by %s', async (_, args, given) => {
    const { code, isDeployed, stderr } = await deployWith(kept, args, given);
    expect([code, isDeployed]).toEqual([1, false]);
    expect(stderr).toMatch(/^error: The stage staging keeps its data: /);
  });

  test.each<[string, string[], Given]>([
    ['a file', staging, { files: { 'cdk.json': { stages: { staging: { keepData: false } } } } }],
    ['a variable', staging, { variables: { CDK_CONTEXT: 'keepData=false' } }],
    ['an empty word', [...staging, '-c', 'keepData='], {}],
  ])('is not given up by %s', async (_, args, given) => {
    expect(await deployWith(kept, args, given)).toMatchObject({ code: 1, isDeployed: false });
  });

  test('is given up by a word in the same command', async () => {
    const args = [...staging, '-c', 'keepData=false'];
    expect(await deployOver(kept, ...args)).toMatchObject({ code: 0, isDeployed: true });
  });

  test('is protected where the CDK has other credentials', async () => {
    const profile = '[profile other]\naws_access_key_id = other\naws_secret_access_key = other\n';
    const AWS_CONFIG_FILE = join(temporaryDirectory(), 'config');
    writeFileSync(AWS_CONFIG_FILE, profile);
    const variables = { AWS_CONFIG_FILE, CDK_PROFILE: 'other' };
    const { code, isDeployed, stderr } = await deployWith({}, [], { variables });
    expect([code, isDeployed]).toEqual([1, false]);
    expect(stderr).toContain('The CDK would deploy to another account, other: add --profile.');
  });
});

describe('the settings of a stage', () => {
  const account = '123456789012';
  const prod = {
    ...{ account, region: 'eu-west-1', throttlingRate: 70, replyTo: null },
    ...{ sender: 'offers@company.example', alarmEmail: 'operators@company.example' },
  };
  const files = { 'cdk.json': { stages: { prod, 'prod-eu': { throttlingRate: 1 } } } };
  const ofAccount = { files, variables: { AWS_ACCESS_KEY_ID: account } };
  const toProd = ['--context', 'stage=prod'];
  const deployed = {
    ...{ account, region: 'eu-west-1', throttlingRate: '500', replyTo: 'hr@company.example' },
    ...{ sender: 'offers@company.example', alarmEmail: 'operators@company.example' },
  };
  const outputsOf = (settings: object) => ({
    KeepData: 'true',
    TableName: 'WorkforcePayments-prod-Table',
    Settings: JSON.stringify(settings),
  });

  test('say where it is deployed, and what changes there', async () => {
    const command = [...toProd, '-c', 'mailsAtOnce=3', '-c', 'throttlingRate=70'];
    const { stdout, regions } = await deployWith(outputsOf(deployed), command, ofAccount);
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'Updates WorkforcePayments-prod in the account 123456789012, region eu-west-1.',
      '  throttlingRate: 500 → 70',
      '  replyTo: hr@company.example → none',
      '  mailsAtOnce: none → 3',
      '  mailsAtOnce is in no file: the next deployment must name it.',
      expect.stringMatching(/^2\./),
    ]);
    // The stack is read there, whatever region the shell has.
    expect(regions).toEqual(['eu-west-1']);
  });

  test('that the stack has are not taken away unless that is said', async () => {
    const outputs = outputsOf({ ...deployed, domainName: 'api.company.example', tls: '1.2' });
    const { isDeployed, stderr } = await deployWith(outputs, toProd, ofAccount);
    expect(isDeployed).toBe(false);
    expect(stderr).toMatch(/"domainName": "api.company.example"\n {2}"tls": "1.2"\n$/);
    const said = [...toProd, '--context', 'domainName=', '-c', 'tls='];
    expect(await deployWith(outputs, said, ofAccount)).toMatchObject({ isDeployed: true });
  });

  test.each<[string, Given, RegExp]>([
    ['another account', { files }, /belongs to the account 123456789012 .* and these .* to local/],
    [
      'a region that does not exist',
      { files: { 'cdk.json': { stages: { prod: { ...prod, region: 'eu-central-9' } } } } },
      /stages\.prod\.region must be an AWS region/,
    ],
    [
      'such a region of the shell',
      { variables: { AWS_REGION: 'eu-central-9' } },
      /There is no AWS region eu-central-9/,
    ],
  ])('refuse %s, before anything is read', async (_, given, sentence) => {
    const complete = ['sender', 'alarmEmail'].flatMap((name) => [
      '-c',
      `${name}=a@company.example`,
    ]);
    const { isDeployed, stderr, asked } = await deployWith(
      undefined,
      [...toProd, ...complete],
      given,
    );
    expect([isDeployed, stderr]).toEqual([false, expect.stringMatching(sentence)]);
    expect(asked).not.toContain('DescribeStacks');
  });

  test('are refused in files of which the CDK merges them in all depths, with their place', async () => {
    const wrong = {
      'cdk.json': { stage: 'prod', sender: 'a@b.example', stages: {} },
      'cdk.context.json': { stages: {}, table: 'Restored' },
      '.cdk.json': { stages: { dev: { tls: '1.2' } }, keepData: false },
    };
    const { isDeployed, stderr } = await deployWith({}, [], { files: wrong });
    expect(isDeployed).toBe(false);
    const stagesOf = (name: string) =>
      `a stage in cdk.json: "context": { "stages": { "prod": { "${name}": … } } }`;
    const inFile = '"context" in cdk.json, which everybody has';
    expect(stderr.trim().split('\n')).toEqual([
      'error: cdk.json has the context stage. Its place is the command line: --context stage=prod.',
      `cdk.json has the context sender. Its place is ${stagesOf('sender')}.`,
      `cdk.context.json has the context stages. Its place is ${inFile}.`,
      `cdk.context.json has the context table. Its place is ${stagesOf('table')}.`,
      `~/.cdk.json has the context stages. Its place is ${inFile}.`,
      `~/.cdk.json has the context keepData. Its place is ${stagesOf('keepData')}.`,
    ]);
  });

  test.each([
    [['--context', 'stage', 'prod'], '', /Context argument is not an assignment .*: stage/],
    [['--context', 'stage', 'prod'], 'true', /Context argument is not an assignment .*: stage/],
    [
      ['-c', 'stages=prod', '-c', 'Sender=a@b.example'],
      '',
      /context Sender\..*\nThe context stages must/,
    ],
  ])(
    'are refused where the CDK would ignore or misread them: %j %s',
    async (args, CI, sentence) => {
      const { isDeployed, stderr } = await deployWith({}, args, { variables: { CI } });
      expect([isDeployed, stderr]).toEqual([false, expect.stringMatching(sentence)]);
    },
  );

  test.each([
    ['The region does not exist', 1],
    ['Stack with id WorkforcePayments-dev does not exist', 0],
  ])('are first deployed only where AWS has no such stack: %s', async (message, expected) => {
    expect((await deployWith(message, [])).code).toBe(expected);
  });
});

describe('.ci/deploy', () => {
  /**
   * Runs the script with an npm that writes down what it is to run and deploys with this code, and
   * an AWS CLI that reports this about the stack.
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
    const args = ['.ci/deploy', 'prod'];
    const { failed, stdout } = await promisify(execFile)('bash', args, {
      env: { ...childEnvironment(), ...variables, PATH },
    }).then(
      (done) => ({ failed: undefined, ...done }),
      (error) => ({ failed: error.code, ...error }),
    );
    return { failed, stdout, calls: readFileSync(calls, 'utf8').trim().split('\n') };
  };

  test('asks nobody: in the background, `cdk deploy` takes silence for a no and for success', async () => {
    const { failed, stdout, calls } = await ciDeploy(0);
    expect([failed, stdout]).toEqual([undefined, '']);
    expect(calls).toContain('run deploy -- --context stage=prod --require-approval never');
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
