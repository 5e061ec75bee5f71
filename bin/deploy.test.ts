import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { runProcess, stageOf } from './admin/test/run-admin.ts';
import { copyOfProject } from './local-run/test/start.ts';
import { childEnvironment } from './testing/child-environment.ts';

interface Given {
  readonly args?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** What the context of each file is. */
  readonly files?: Readonly<Record<string, object>>;
}

const project = copyOfProject();

/** Runs `npm run deploy` on a stack with these outputs, or on what AWS says of it. */
const deploy = async (
  outputs: Parameters<typeof stageOf>[0],
  { args = [], variables = {}, files = {} }: Given = {},
) => {
  const { environment, asked, regions } = await stageOf(outputs);
  // The CDK remembers accounts at home.
  const HOME = temporaryDirectory();
  const none = { 'cdk.json': {}, 'cdk.context.json': {}, '.cdk.json': {} };
  for (const [name, context] of Object.entries({ ...none, ...files })) {
    const path = join(name === '.cdk.json' ? HOME : project, name);
    const content = name === 'cdk.context.json' ? context : { app: 'node bin/app.ts', context };
    writeFileSync(path, JSON.stringify(content));
  }
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

// A stage without a region is deployed in that of the shell or of the command.
test.each<[string, number, Given]>([
  ['The region does not exist', 1, { args: ['--region', 'eu-west-1'] }],
  [
    'Stack with id WorkforcePayments-dev does not exist',
    0,
    { variables: { AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-west-1' } },
  ],
])(
  'a stage is first deployed only where AWS has no such stack: %s',
  async (message, code, given) => {
    expect(await deploy(message, given)).toMatchObject({ code, regions: ['eu-west-1'] });
  },
);

describe('a stack with an imported table, kept data and settings', () => {
  const outputs = {
    KeepData: 'true',
    ImportedTable: 'Restored',
    TableName: 'Restored',
    Settings: JSON.stringify({ domainName: 'api.company.example', tls: '1.2' }),
  };
  const named = ['-c', 'domainName=', '--context', 'tls='];
  const importing = '--import-existing-resources';

  test('loses none of them to a deployment that names none', async () => {
    const { code, isDeployed, stderr } = await deploy(outputs, {
      variables: { CDK_CONTEXT: 'stage=staging' },
    });
    expect([code, isDeployed]).toEqual([1, false]);
    expect(stderr).toMatch(
      /^error: The table in service, Restored, .+ replace it with an empty one\. Set "table": "Restored" under "staging" .+\nThe stage staging keeps its data: .+\nWorkforcePayments-staging was deployed with settings .+:\n {2}"domainName": "api\.company\.example"\n {2}"tls": "1\.2"\n$/,
    );
  });

  const other = ['-c', 'table=Other'];
  const files = { 'cdk.json': { stages: { dev: { keepData: false, table: 'Other' } } } };
  const variables = { CDK_CONTEXT: 'keepData=false' };
  test.each<[string, string, Given]>([
    ['a file', 'Other', { files, args: [importing] }],
    ['a variable', 'Other', { variables, args: [...other, importing, 'false'] }],
    ['half a word', 'Other', { args: [...other, `${importing}=false`] }],
    ['its negation', 'Other', { args: [...other, importing, '--no-import-existing-resources'] }],
    ['empty words', 'an empty one', { args: ['-c', 'keepData=', '-c', 'table=', importing] }],
  ])('loses neither table nor protection to %s', async (_, table, { args = [], ...given }) => {
    const { isDeployed, stderr } = await deploy(outputs, { ...given, args: [...named, ...args] });
    expect(isDeployed).toBe(false);
    expect(stderr).toMatch(
      new RegExp(`^error: .+ replace it with ${table}\\. .+\nThe stage dev keeps its data: .+\n$`),
    );
  });

  test('loses what the command says', async () => {
    const args = [...named, '-c=keepData=false', '--context=table=Again', importing];
    expect(await deploy(outputs, { args })).toMatchObject({ code: 0, isDeployed: true });
  });
});

test("a file alone does not replace the stack's own table", async () => {
  const files = { 'cdk.json': { stages: { dev: { table: 'Typo' } } } };
  const outputs = { TableName: 'WorkforcePayments-dev-Table' };
  const { isDeployed, stderr } = await deploy(outputs, { files });
  expect([isDeployed, stderr]).toEqual([
    false,
    expect.stringContaining('with Typo. Remove "table" under "dev" from cdk.json.'),
  ]);
});

describe('the settings of a stage', () => {
  const account = '123456789012';
  const prod = {
    ...{ account, region: 'eu-west-1', throttlingRate: 70, replyTo: null, table: 'Restored' },
    ...{ sender: 'offers@company.example', alarmEmail: 'operators@company.example' },
  };
  const files = { 'cdk.json': { stages: { prod, 'prod-eu': { throttlingRate: 1 } } } };
  const toProd = ['--context', 'stage=prod'];

  test('say where it is deployed, and what changes there', async () => {
    const { table: _, throttlingRate: __, ...given } = prod;
    const deployed = { ...given, throttlingRate: '500', replyTo: 'hr@company.example' };
    const { stdout, regions } = await deploy(
      {
        ...{ KeepData: 'true', TableName: 'WorkforcePayments-prod-Table' },
        Settings: JSON.stringify(deployed),
      },
      {
        args: [
          ...[...toProd, '-c', 'mailsAtOnce=3', '-c=throttlingRate=70'],
          ...['-c', 'table=Restored', '--import-existing-resources'],
        ],
        files,
        variables: { AWS_ACCESS_KEY_ID: account },
      },
    );
    expect(stdout.split('\n').slice(0, 7)).toEqual([
      'Updates WorkforcePayments-prod in the account 123456789012, region eu-west-1.',
      '  replyTo: hr@company.example → none',
      '  throttlingRate: 500 → 70',
      '  mailsAtOnce: none → 3',
      '  table: none → Restored',
      '  mailsAtOnce is in no file: the next deployment must name it.',
      expect.stringMatching(/^2\./),
    ]);
    // The stack is read there, whatever region the shell has.
    expect(regions).toEqual(['eu-west-1']);
  });

  const AWS_CONFIG_FILE = join(temporaryDirectory(), 'config');
  writeFileSync(
    AWS_CONFIG_FILE,
    '[profile other]\naws_access_key_id = other\naws_secret_access_key = other\n',
  );
  const args = ['--context', 'stage', 'prod'];
  const sentence = /Context argument is not an assignment .*: stage/;
  test.each<[string, Given, RegExp]>([
    ['what the CDK ignores', { args, variables: { CI: '' } }, sentence],
    ['what the CDK ignores in CI', { args, variables: { CI: 'true' } }, sentence],
    [
      'an account that is not that of the credentials',
      { files, args: toProd },
      /belongs to the account 123456789012 .* and these .* to local/,
    ],
    [
      'a region that does not exist',
      { variables: { AWS_REGION: 'eu-central-9' } },
      /There is no AWS region eu-central-9/,
    ],
    [
      'other credentials of the CDK',
      { variables: { AWS_CONFIG_FILE, CDK_PROFILE: 'other' } },
      /The CDK would deploy to another account, other: add --profile\./,
    ],
  ])('refuse %s, before the stack is read', async (_, given, sentence) => {
    const { isDeployed, stderr, asked } = await deploy(undefined, given);
    expect([isDeployed, stderr]).toEqual([false, expect.stringMatching(sentence)]);
    expect(asked).not.toContain('DescribeStacks');
  });

  test('are refused in files of which the CDK merges them in all depths, with their place', async () => {
    const wrong = {
      'cdk.json': { stage: 'prod', sender: 'a@b.example', stages: {} },
      'cdk.context.json': { stages: {}, table: 'Restored' },
      '.cdk.json': { stages: { dev: { tls: '1.2' } }, keepData: false },
    };
    const { isDeployed, stderr } = await deploy({}, { files: wrong });
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
});

describe('.ci/deploy', () => {
  /**
   * Runs the script with an npm that writes down what it is to run and deploys with this code, and
   * an AWS CLI that reports this about the stack.
   */
  const ciDeploy = ({
    code = 0,
    stack = 'echo UPDATE_COMPLETE',
    keepData = 'false',
    variables = {},
  } = {}) => {
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
      sleep: '',
    };
    for (const [name, script] of Object.entries(commands)) {
      writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const PATH = `${directory}${delimiter}${process.env.PATH}`;
    const env = { ...childEnvironment(), ...variables, PATH };
    const { status, stdout } = spawnSync('bash', ['.ci/deploy', 'prod'], { env, encoding: 'utf8' });
    return { status, stdout, calls: readFileSync(calls, 'utf8').trim().split('\n') };
  };

  test('needs no confirmation: in the background, `cdk deploy` takes silence for a no and for success', () => {
    const { status, stdout, calls } = ciDeploy();
    expect([status, stdout]).toEqual([0, '']);
    expect(calls).toContain('run deploy -- --context stage=prod --require-approval never');
    expect(calls.at(-1)).toBe('run smoke -- --stage prod --junit smoke.xml');
  });

  test('tests a stage that keeps its data with a token, and never through its table', () => {
    const variables = { WFP_TOKEN: 'wfp_test_x', SMOKE_WORKSPACE: 'wsp_test_x' };
    const { status, calls } = ciDeploy({ variables, keepData: 'true' });
    expect([status, calls.at(-1)]).toEqual([
      0,
      'run smoke -- --url https://api.company.example/ --workspace wsp_test_x --junit smoke.xml',
    ]);
    expect(calls.join()).not.toContain('--stage');
    const untested = ciDeploy({ keepData: 'true' });
    expect([untested.status, untested.calls.join()]).toEqual([
      1,
      expect.not.stringMatching('smoke'),
    ]);
  });

  test('fails with the deployment, without a last run of the tests', () => {
    const { status, calls } = ciDeploy({ code: 3 });
    expect([status, calls.at(-1)]).toEqual([3, expect.not.stringContaining('--junit')]);
  });

  test.each([
    "echo 'Stack with id WorkforcePayments-prod does not exist' >&2; exit 254",
    'echo ROLLBACK_COMPLETE',
    'echo REVIEW_IN_PROGRESS',
  ])('skips the mails of a new stage, whose sender is not verified, and says so: %s', (stack) => {
    const { status, stdout, calls } = ciDeploy({ stack });
    const last = 'run smoke -- --stage prod --junit smoke.xml --skip a mail to';
    expect([status, calls.at(-1)]).toEqual([0, last]);
    expect(stdout).toMatch(/open .+link.+npm run smoke -- --stage prod mails/is);
  });

  test.each(['echo UPDATE_ROLLBACK_COMPLETE', "echo 'Unable to locate credentials' >&2; exit 253"])(
    'tests the mails of any other stack: %s',
    (stack) => {
      const { calls } = ciDeploy({ stack });
      expect(calls.at(-1)).toBe('run smoke -- --stage prod --junit smoke.xml');
    },
  );
});
