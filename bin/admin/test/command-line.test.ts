import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { closedAddress, serverOf } from '../../../test/support/servers.ts';
import { newTenant } from '../../../test/support/tenants.ts';
import { withStages, withStagesFile } from '../../../test/support/with-stages.ts';
import {
  admin,
  adminAt,
  adminScript,
  file,
  runProcess,
  sharedStackFile,
  stackFile,
  stageOf,
} from './run-admin.ts';

test('--help has the options of every command, and marks those that a command requires', async () => {
  const { stdout } = await admin('account', 'create', '--help');
  expect(stdout).toContain('--stage');
  expect(stdout).toMatch(/--name <name> +the company's name \(required\)\n/);
  expect(stdout).not.toMatch(/--id .*\(required\)/);
});

const nil = '00000000-0000-0000-0000-000000000000';

/** What a command prints that is called wrongly. */
const misuse = async (...args: string[]) => {
  const { code, stdout, stderr } = await admin(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: .+\n$/s);
  return stderr;
};

test.each([
  [['manager', 'add', 'me', '--account', 'acc_demo'], 'Must be a UUID.'],
  [['manager', 'add', nil, '--account', 'acc_demo'], 'Must not be the nil UUID.'],
  [['token', 'revoke', 'nonsense'], 'Give the id of a token, tok_…, or the token.'],
  [['offer', 'list', '--workspace', 'wsp_demo', '--limit', '0'], 'Give a whole number from 1.'],
  [['redact', '--workspace', 'wsp_demo', '--worker', '', '--yes'], '--worker is empty.\n'],
  [['export', '--workspace', 'wsp_demo', '--recipient='], '--recipient is empty.\n'],
  [['offer', 'show', ''], 'An argument is empty.\n'],
  [['verify', '--stage', 'dev', '--region', ''], '--region is empty.\n'],
  [['--stage', 'dev', 'verify', '--stage', 'prod'], "'--stage <stage>' is given more than once"],
  [['events', 'publish', '--since=2d', '--since=1d'], "'--since <time>' is given more than once"],
  [['workspace', 'show', 'acc_demo'], 'Must be wsp_ followed by'],
  [['redact', '--workspace', 'wsp_demo', '--worker', 'amara'], 'Must be wr_ followed by'],
  [['sandbox', 'show', 'sbx_1', '--workspace', 'wsp_demo'], 'Must be sbx_ followed by a ULID.'],
  [['payment-request', 'show', 'ofr_1'], 'Must be ptr_ followed by'],
  [['account', 'create', '--name', 'a\nb'], 'Must not contain control characters'],
])('exits with 2 and a sentence for %j', async (args, sentence) => {
  expect(await misuse(...args)).toContain(sentence);
});

const issue = 'token issue --workspace wsp_none --scopes sandboxes:read --expires';
const notToCome = 'yesterday 45 2099-02-30 2099-12-31T10:00 2099 0d 401d 2099-12-31';
const notPast = '2026-02-30 2026-02-30T10:00:00Z 2026-1-1 2026-12 45';
test.each([
  [issue, notToCome, 'Give a time to come, within 400 days: 90d, 12h or 2027-12-31T00:00:00Z.'],
  ['events publish --since', notPast, 'Give a time such as 90s'],
  ['outbox relay --older-than', 'soon', '10m'],
])('%s takes none of these times: %s', async (command, times, sentence) => {
  for (const time of times.split(' ')) {
    expect(await misuse(...command.split(' '), time), time).toContain(sentence);
  }
});

const nextYear = new Date(Date.now() + 366 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
test.each(['400d', nextYear, `${nextYear}T10:00Z`, `${nextYear}T10:00:00.5+02:00`])(
  'is a time until which a token is valid: %s',
  async (time) => {
    const stderr = 'error: There is no workspace wsp_none.\n';
    expect(await admin(...issue.split(' '), time)).toMatchObject({ code: 1, stderr });
  },
);

test('suggests no command: it may be one that destroys', async () => {
  expect(await misuse('reject')).toBe("error: unknown command 'reject'\n");
});

test.each([
  'aws-sdk-js-1764351234567',
  'aws-sdk-js-session-1764351234567',
  'botocore-session-1764351234',
])('does not write as nobody to a stage that keeps its data, but reads: %s', async (session) => {
  const caller = `arn:aws:sts::123456789012:assumed-role/Operators/${session}`;
  const create = ['account', 'create', '--name', 'Of nobody'];
  const run = async (KeepData: string, ...args: string[]) => {
    const outputs = { TableName: stack.table, KeepData };
    const { environment } = await stageOf(outputs, '', caller);
    const on = ['--stage', 'dev', '--region', 'eu-central-1'];
    return runProcess(adminScript, [...on, ...args], '', environment);
  };
  const refused = await run('true', ...create);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`error: Nothing was written: the session ${session} `);
  expect(refused.stderr).toContain('`role_session_name = <your name>`');
  expect((await run('true', 'workspace', 'show', 'wsp_demo')).stderr).not.toContain('session');
  expect(await run('false', ...create)).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  [['offer', 'show', 'ofr_none'], 1, 'There is no offer ofr_none.'],
  [['payment-request', 'show', 'ptr_none'], 1, 'There is no payment request ptr_none.'],
  [['sandbox', 'list', '--workspace', 'wsp_none'], 1, 'There is no workspace wsp_none.'],
  [['manager', 'list', '--account', 'acc_none'], 1, 'There is no account acc_none.'],
  [['manager', 'show', nil, '--account', 'acc_none'], 1, `acc_none has no manager ${nil}.`],
  [['verify', '--profile', 'acme'], 1, '--region and --profile belong to a deployed stage'],
  [['token', 'issue', '--workspace', 'wsp_demo'], 2, "option '--scopes <scopes...>' not specified"],
  [['offer', 'import', 'README.md', '--workspace', 'wsp_demo'], 2, 'end in .jsonl or .csv'],
  [['redact', '--workspace', 'wsp_demo'], 2, 'Give --worker or --recipient.'],
  [['outbox'], 2, 'Name a command'],
  [['smoke'], 2, 'Results are no JSON: use --junit.'],
])('--json makes JSON of the error of %j', async (args, exitCode, sentence) => {
  const { code, stdout, stderr } = await admin(...args, '--json');
  expect([code, stdout]).toEqual([exitCode, '']);
  expect(JSON.parse(stderr)).toEqual({
    error: expect.stringContaining(sentence),
    exit_code: exitCode,
  });
});

describe('exits with 1 and a sentence', async () => {
  const profiles = `
[profile mfa]
role_arn = arn:aws:iam::123456789012:role/Operators
source_profile = keys
mfa_serial = arn:aws:iam::123456789012:mfa/jane
[profile keys]
aws_access_key_id = local
aws_secret_access_key = local
[profile process]
credential_process = sh -c "echo The vault is locked >&2; exit 3"
[profile sso]
sso_session = company
sso_account_id = 123456789012
sso_role_name = Operators
[sso-session company]
sso_region = eu-central-1
sso_start_url = https://company.awsapps.com/start
`;
  const inRegion = ['--region', 'eu-central-1'];
  test.each([
    [[], 'read. The AWS region is missing: add --region'],
    [
      ['--profile', 'misspelt'],
      'profile: [misspelt] in configuration/credentials file(s). The AWS',
    ],
    [inRegion, 'profile: [default] in configuration/credentials file(s). Run `aws configure`'],
    [[...inRegion, '--profile', 'misspelt'], 'profile: [misspelt] in'],
    [[...inRegion, '--profile', 'mfa'], 'Profile mfa requires multi-factor authentication'],
    [[...inRegion, '--profile', 'process'], 'The vault is locked. Run `aws configure`'],
    [[...inRegion, '--profile', 'sso'], "To refresh this SSO session run 'aws sso login'"],
  ])('for a deployed stage with %j and the reason of the SDK', async (options, sentence) => {
    const args = ['verify', '--stage', 'elsewhere', ...options];
    const { code, stderr } = await runProcess(adminScript, args, '', {
      PATH: process.env.PATH,
      HOME: '/nowhere',
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: file('config', profiles),
      AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    expect(stderr).toMatch(/^error: .+\n$/);
  });

  test('for a stage of another account than that of the credentials, before it writes', async () => {
    const { asked, environment } = await stageOf({ TableName: stack.table });
    const dev = { keepData: false, account: '999999999999', region: 'eu-central-1' };
    const NODE_OPTIONS = withStages({ dev });
    const args = ['account', 'create', '--name', 'Elsewhere', '--stage', 'dev'];
    const run = await runProcess(adminScript, args, '', { ...environment, NODE_OPTIONS });
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: .+ 123456789012, .+ dev is in 999999999999 .+\.\n$/),
    });
    expect(asked).toEqual(['DescribeStacks']);
  });

  const stagesOf = (dev: object | null) => `export const stages = ${JSON.stringify({ dev })};`;
  test.each([
    ['does not parse', 'export const stages = { dev: ;', 'stages.ts .+`npx tsc`'],
    ['throws what is no Error', 'throw undefined;', 'stages.ts .+: undefined\\.'],
    ['exports no stages', 'export default {};', '`export const stages`\\.'],
    ['has no account', stagesOf({ keepData: true, acount: '1' }), 'account of dev'],
    ['has a number for an account', stagesOf({ keepData: true, account: 1 }), 'in quotes'],
    ['has an empty stage', stagesOf(null), 'account of dev'],
    ['has an empty account', stagesOf({ keepData: false, account: '' }), '123456789012'],
  ])('for a stage when stages.ts %s, before it writes', async (_, source, sentence) => {
    const { asked, environment } = await stageOf({ TableName: stack.table });
    const create = 'account create --name Elsewhere --stage dev --region eu-central-1';
    const variables = { ...environment, NODE_OPTIONS: withStagesFile(source) };
    const run = await runProcess(adminScript, create.split(' '), '', variables);
    const stderr = expect.stringMatching(new RegExp(`^error: .*${sentence}.*\n$`));
    expect(run).toMatchObject({ code: 1, stdout: '', stderr });
    expect(asked).not.toContain('GetCallerIdentity');
  });

  test.skipIf(!existsSync('/dev/full'))('when the output finds no room', async () => {
    const { workspace } = await newTenant();
    const env = { ...childEnvironment(), WFP_STACK_FILE: sharedStackFile };
    const stderr =
      'error: The output could not be written: ENOSPC: no space left on device, write.\n';
    for (const args of [['--help'], ['workspace', 'show', workspace], ['workspace', 'list']]) {
      const command = ['-c', '"$0" "$@" > /dev/full', process.execPath, adminScript, ...args];
      const run = promisify(execFile)('sh', command, { env });
      await expect(run, args.join(' ')).rejects.toMatchObject({ code: 1, stderr });
    }
  });

  const silent = await serverOf(() => {});
  const at = (address: string, other = address) =>
    stackFile({ endpoints: { ...stack.endpoints, sqs: address, dynamodb: other } });
  test.each([
    ['nothing runs here', '/nowhere/stack.json', 'stack.json is missing. Run `npm start`'],
    ['the stack file is empty', file('stack.json', ''), 'does not describe a local run. Run'],
    ['the stack file is another', file('stack.json', '{}'), 'does not describe a local run. Run'],
    ['what ran here has ended', at(closedAddress), 'is `npm start` still running?'],
    ['it is suspended', at(silent, stack.endpoints.dynamodb), 'continue it with fg'],
  ])('when %s', async (_, path, sentence) => {
    const { code, stderr } = await adminAt(path, 'offer', 'show', 'ofr_sent');
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    expect(stderr).toMatch(/^error: .+\n$/);
  });

  test('when something would be destroyed without a confirmation', async () => {
    const { account, manager } = await newTenant();
    const removing = ['manager', 'remove', manager, '--account', account];
    const stderr = expect.stringContaining('Confirm with --yes');
    expect(await admin(...removing)).toMatchObject({ code: 1, stderr });
    const { stdout } = await admin('manager', 'list', '--account', account);
    expect(stdout).toContain(manager);
  });
});
