import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Command } from 'commander';
import type { Item } from '../../bin/admin/table/scan.ts';
import { interruptedCode } from '../../bin/admin/terminal/interruption.ts';
import { reportError } from '../../bin/admin/terminal/report-error.ts';
import { tableContext } from '../../lib/settings.ts';
import { frozenStages, unpackAssembly } from '../releases/assemblies.ts';
import { readData } from '../releases/data.ts';
import { newest } from '../releases/kept-releases.ts';
import { loadTable } from '../releases/load-table.ts';
import { childRunner, type RunChild } from '../support/run-child.ts';
import { useStoreOf } from '../support/store.ts';
import { type Assembly, deployable, synthesizeStage } from './assembly.ts';
import { installMinistack, type Ministack, startMinistack } from './ministack.ts';
import { failingTests } from './shortcomings.ts';
import { takeOver } from './take-over.ts';

new Command('npm run rehearse --')
  .description(
    "Deploys the newest release and then this version of the stages dev and prod with the CDK command line into MiniStack, an emulation of AWS on this machine, and tests them with the operators' command line and the tests of the contract. Needs Python 3.",
  )
  .parse();

const directory = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const region = 'us-east-1';
const account = '000000000000';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const cdk = 'node_modules/aws-cdk/bin/cdk';

/** Without the AWS configuration of this machine, which could belong to a real account. */
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
  const done = (result: string) => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(`${result.padEnd(7)} ${`${seconds} s`.padStart(7)}  ${what}`);
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

/** A stage in MiniStack, and what its rehearsal does with it. */
const stageIn = (context: (typeof frozenStages)[number], ministack: Ministack, run: RunChild) => {
  const { stage } = context;
  const settings = { region, credentials, endpoint: ministack.url };
  const cloudFormation = new CloudFormationClient(settings);
  const cdkDeploy = async (assembly: Assembly, ...options: string[]) => {
    const args = ['--require-approval', 'never', '--app', assembly.directory];
    await run(cdk, 'deploy', ...args, ...options);
    return assembly;
  };
  const admin = (...args: string[]) => run('bin/admin.ts', '--stage', stage, ...args);
  return {
    cloudFormation,
    dynamodb: new DynamoDBClient(settings),
    lambda: new LambdaClient(settings),
    admin,
    deploy: async (changed: boolean, importing?: Record<string, string>) => {
      const outdir = mkdtempSync(join(directory, `${stage}-`));
      const assembly = await synthesizeStage({ ...context, ...importing }, outdir, { changed });
      return cdkDeploy(assembly, ...(importing ? ['--import-existing-resources'] : []));
    },
    deployRelease: async (version: string) =>
      cdkDeploy(deployable(await unpackAssembly(version, stage))),
    load: async (stackName: string, release: string) => {
      const table = await outputOf(cloudFormation, stackName, 'TableName');
      const { url } = ministack;
      useStoreOf({ table, endpoints: { dynamodb: url, sqs: url, eventbridge: url } });
      const frozen = readData(release);
      await loadTable({ ...frozen, items: frozen.items.map(queuedAgain) });
    },
    smoke: async (stackName: string, skip: readonly string[] = [], release?: string) => {
      const url = await apiUrl(cloudFormation, stackName, ministack);
      const skipped = ['--skip', ...Object.keys(failingTests), ...skip];
      const older = release ? ['--release', release] : [];
      const out = await step(`${stage}: npm run smoke`, () =>
        run('bin/smoke.ts', '--stage', stage, '--url', url, ...older, ...skipped),
      );
      console.log(`    ${/Tests .*/.exec(out)?.[0]}`);
    },
    verify: () => step(`${stage}: npm run admin -- verify`, () => admin('verify')),
  };
};

// Tests that wait for the authorizer's cache run once for each stage.
const waiting = ['cache time'];

const rehearseStage = async (
  context: (typeof frozenStages)[number],
  ministack: Ministack,
  run: RunChild,
  release: string | undefined,
): Promise<void> => {
  const { stage } = context;
  const inMinistack = stageIn(context, ministack, run);
  const { cloudFormation, dynamodb, lambda } = inMinistack;
  const { admin, deploy, deployRelease, load, smoke, verify } = inMinistack;
  if (release) {
    const { stackName } = await step(`${stage}: cdk deploy of ${release}`, () =>
      deployRelease(release),
    );
    await step(`${stage}: the data of ${release}`, () => load(stackName, release));
    await smoke(stackName, waiting, release);
  }
  const {
    stackName,
    directory: app,
    leftOut,
  } = await step(`${stage}: cdk deploy`, () => deploy(false));
  for (const sentence of leftOut) console.log(`    ${sentence}`);

  await step(`${stage}: npm run admin`, async () => {
    await admin('account', 'create', '--id', 'acc_rehearsal', '--name', 'Rehearsal');
    await admin('workspace', 'create', '--account', 'acc_rehearsal', '--name', 'Rehearsal');
    await admin('workspace', 'list');
    await admin('dead-letters', 'list');
    await admin('verify');
  });
  await smoke(stackName);
  const deployChanged = () =>
    step(`${stage}: cdk deploy with changed functions`, () => deploy(true));
  await deployChanged();
  await smoke(stackName, waiting);
  await verify();

  if (release) {
    await step(`${stage}: cdk deploy of ${release} again`, () => deployRelease(release));
    await smoke(stackName, waiting, release);
    await verify();
    await deployChanged();
  }

  const restored = `Restored-${stage}`;
  await step(`${stage}: a restored table goes into service`, async () =>
    takeOver({
      dynamodb,
      lambda,
      table: await outputOf(cloudFormation, stackName, 'TableName'),
      restored,
      admin,
      deploy: () => deploy(true, { [tableContext(stage)]: restored }),
    }),
  );
  await smoke(stackName, waiting);
  await verify();

  await step(`${stage}: cdk destroy`, async () => {
    const protection = { StackName: stackName, EnableTerminationProtection: false };
    await cloudFormation.send(new UpdateTerminationProtectionCommand(protection));
    await run(cdk, 'destroy', '--force', '--app', app);
  });
};

/** A mail that was being sent: its message was in a queue, so the stream must bring it there. */
const queuedAgain = ({ lease_ends: _, ...item }: Item): Item =>
  item.status === 'sending' ? { ...item, status: 'queued' } : item;

/** The address of an API in MiniStack, whose own host name need not be resolved. */
const apiUrl = async (
  client: CloudFormationClient,
  StackName: string,
  { url }: Ministack,
): Promise<string> => {
  const { hostname, pathname } = new URL(await outputOf(client, StackName, 'ApiUrl'));
  const [api] = hostname.split('.');
  return `${url}/restapis/${api}${pathname}_user_request_`;
};

const outputOf = async (client: CloudFormationClient, StackName: string, name: string) => {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name);
  return output?.OutputValue ?? '';
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
    const { directory: app } = await synthesizeStage(frozenStages[0], join(directory, 'bootstrap'));
    await run(cdk, 'bootstrap', `aws://${account}/${region}`, '--app', app);
  });
  const release = newest();
  if (!release) console.log('There is no release yet, so each stage begins with this version.');
  for (const context of frozenStages) await rehearseStage(context, started, run, release);

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
