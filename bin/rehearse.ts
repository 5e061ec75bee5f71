import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Command } from 'commander';
import { interruptedCode } from './admin/terminal/interruption.ts';
import { reportError } from './admin/terminal/report-error.ts';
import { synthesizeStage } from './rehearsal/assembly.ts';
import { childRunner, type RunChild } from './rehearsal/child.ts';
import { installMinistack, type Ministack, startMinistack } from './rehearsal/ministack.ts';
import { failingTests } from './rehearsal/shortcomings.ts';

new Command('npm run rehearse')
  .description(
    'Deploys the stages dev and prod with the CDK command line into MiniStack, an AWS on this machine that we did not write, and proves them with the commands of operators and the tests of the contract. Needs Python 3.',
  )
  .parse();

const directory = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const region = 'us-east-1';
const account = '000000000000';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const cdk = 'node_modules/aws-cdk/bin/cdk';

/** The settings of each stage, as `--context`. */
const stages = [
  { stage: 'dev', sender: 'offers@example.com' },
  // Without the canary, whose hook is never called: MiniStack has no CodeDeploy.
  {
    stage: 'prod',
    sender: 'offers@example.com',
    alarmEmail: 'operators@example.com',
    canary: 'false',
  },
] as const;

/** Nothing of this machine's own AWS configuration, which could lead to a real account. */
const environmentOf = ({ url }: Ministack): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  AWS_ENDPOINT_URL: url,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_CONFIG_FILE: join(directory, 'none'),
  AWS_SHARED_CREDENTIALS_FILE: join(directory, 'none'),
  AWS_EC2_METADATA_DISABLED: 'true',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  NO_COLOR: '1',
});

/** Does something, and prints a line about it with its time. */
const step = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
  const startedMs = performance.now();
  const done = (outcome: string) => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(`${outcome.padEnd(7)} ${`${seconds} s`.padStart(7)}  ${what}`);
  };
  try {
    const result = await work();
    done('done');
    return result;
  } catch (error) {
    done('failed');
    throw error;
  }
};

const rehearseStage = async (
  context: (typeof stages)[number],
  ministack: Ministack,
  run: RunChild,
): Promise<void> => {
  const { stage } = context;
  const deploy = async (changed: boolean) => {
    const assembly = await synthesizeStage(context, mkdtempSync(join(directory, `${stage}-`)), {
      changed,
    });
    const args = ['--require-approval', 'never', '--app', assembly.directory];
    await run(cdk, 'deploy', ...args);
    return assembly;
  };
  const {
    stackName,
    directory: app,
    leftOut,
  } = await step(`${stage}: cdk deploy`, () => deploy(false));
  for (const sentence of leftOut) console.log(`    ${sentence}`);

  const cloudFormation = new CloudFormationClient({ region, credentials, endpoint: ministack.url });
  const url = await apiUrl(cloudFormation, stackName, ministack);
  const admin = (...args: string[]) => run('bin/admin.ts', '--stage', stage, ...args);
  const smoke = async (...skip: string[]) => {
    const skipped = ['--skip', ...Object.keys(failingTests), ...skip];
    const out = await run('bin/smoke.ts', '--stage', stage, '--url', url, ...skipped);
    return /Tests .*/.exec(out)?.[0];
  };

  await step(`${stage}: npm run admin`, async () => {
    await admin('account', 'create', '--id', 'acc_rehearsal', '--name', 'Rehearsal');
    await admin('workspace', 'create', '--account', 'acc_rehearsal', '--name', 'Rehearsal');
    await admin('workspace', 'list');
    await admin('dead-letters', 'list');
    await admin('verify');
  });
  console.log(`    ${await step(`${stage}: npm run smoke`, () => smoke())}`);
  await step(`${stage}: cdk deploy with changed functions`, () => deploy(true));
  // What waits for the authorizer's cache was shown before.
  const again = await step(`${stage}: npm run smoke`, () => smoke('cache time'));
  console.log(`    ${again}`);
  await step(`${stage}: npm run admin -- verify`, () => admin('verify'));

  await step(`${stage}: cdk destroy`, async () => {
    const protection = { StackName: stackName, EnableTerminationProtection: false };
    await cloudFormation.send(new UpdateTerminationProtectionCommand(protection));
    await run(cdk, 'destroy', '--force', '--app', app);
  });
};

/** Where MiniStack serves an API whose own name this machine need not resolve. */
const apiUrl = async (
  client: CloudFormationClient,
  StackName: string,
  { url }: Ministack,
): Promise<string> => {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'ApiUrl');
  const { hostname, pathname } = new URL(output?.OutputValue ?? '');
  const [api] = hostname.split('.');
  return `${url}/restapis/${api}${pathname}_user_request_`;
};

/** What the stages have left. */
const leftovers = async ({ url: endpoint }: Ministack): Promise<string[]> => {
  const settings = { region, credentials, endpoint };
  const [tables, queues, secrets] = await Promise.all([
    new DynamoDBClient(settings).send(new ListTablesCommand()),
    new SQSClient(settings).send(new ListQueuesCommand()),
    new SecretsManagerClient(settings).send(new ListSecretsCommand()),
  ]);
  return [
    ...(tables.TableNames ?? []).map((name) => `the table ${name}`),
    ...(queues.QueueUrls ?? []).map((url) => `the queue ${url.split('/').at(-1)}`),
    ...(secrets.SecretList ?? []).map(({ Name }) => `the secret ${Name}`),
  ];
};

let ministack: Ministack | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await ministack?.stop();
    process.exit(interruptedCode);
  });
}
try {
  const executable = await step('install MiniStack', installMinistack);
  const log = join(directory, 'ministack.log');
  const started = await step('start MiniStack', () => startMinistack(executable, log));
  ministack = started;
  console.log(`    ${started.url}; it logs to ${log}`);
  const run = childRunner(environmentOf(started));
  await step('cdk bootstrap', async () => {
    const { directory: app } = await synthesizeStage(stages[0], join(directory, 'bootstrap'));
    await run(cdk, 'bootstrap', `aws://${account}/${region}`, '--app', app);
  });
  for (const context of stages) await rehearseStage(context, started, run);

  const left = await leftovers(started);
  console.log(left.length > 0 ? `Left over: ${left.join(', ')}.` : 'Nothing is left over.');
  console.log('Not shown, the tests of the contract whose titles contain:');
  for (const [title, why] of Object.entries(failingTests)) console.log(`    ${title}: ${why}`);
  rmSync(directory, { recursive: true });
} catch (error) {
  process.exitCode = reportError(error, false);
} finally {
  await ministack?.stop();
}
