import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  CloudFormationClient,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { AdminError, interruptedCode } from '../command-line/admin-error.ts';
import { readOutputs, stackNameOf } from '../command-line/connect.ts';
import { reportError } from '../command-line/report-error.ts';
import { stayOnThisMachine } from '../command-line/stay-on-this-machine.ts';
import { installMinistack, type Ministack, startMinistack } from './ministack.ts';
import { failingTests, missingTypes, takeOutMissing } from './shortcomings.ts';

// `npm run rehearse`: deploys dev and prod with the CDK command line into MiniStack, an emulation
// of AWS on this machine, runs the tests of the contract on them, and destroys them.

stayOnThisMachine();

const stages = [
  { stage: 'dev', sender: 'offers@example.com' },
  { stage: 'prod', sender: 'offers@example.com', alarmEmail: 'operators@example.com' },
];
const directory = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const region = 'us-east-1';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const cdk = 'node_modules/aws-cdk/bin/cdk';
const printedLines = 40;

/**
 * Runs a script of the project, without the AWS configuration of this machine, which could belong
 * to a real account.
 *
 * @returns what it printed
 * @throws AdminError with the end of that when it fails
 */
const run = async ({ url }: Ministack, script: string, ...args: string[]): Promise<string> => {
  const env = {
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
  };
  const options = { cwd: join(import.meta.dirname, '../..'), env, maxBuffer: 2 ** 30 };
  try {
    return (await promisify(execFile)(process.execPath, [script, ...args], options)).stdout;
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    const lines = `${stdout}${stderr}`.trimEnd().split('\n').slice(-printedLines);
    throw new AdminError(`${script} ${args.join(' ')} exited with ${code}:\n${lines.join('\n')}`);
  }
};

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

/** Synthesizes a stage as `cdk deploy` would, but without what MiniStack cannot create. */
const synthesize = async (context: (typeof stages)[number]) => {
  const app = mkdtempSync(join(directory, `${context.stage}-`));
  const [stack] = (await createApp({ outdir: app, context, ...withoutValidation })).synth().stacks;
  if (!stack) throw new Error('The app has no stack.');
  const template = takeOutMissing(JSON.parse(readFileSync(stack.templateFullPath, 'utf8')));
  writeFileSync(stack.templateFullPath, JSON.stringify(template));
  return app;
};

const rehearseStage = async (context: (typeof stages)[number], ministack: Ministack) => {
  const { stage } = context;
  const app = await synthesize(context);
  await step(`${stage}: cdk deploy`, async () => {
    await run(ministack, cdk, 'bootstrap', `aws://000000000000/${region}`, '--app', app);
    await run(ministack, cdk, 'deploy', '--require-approval', 'never', '--app', app);
  });

  const config = { region, credentials, endpoint: ministack.url };
  const url = apiUrl(await readOutputs(stage, config), ministack);
  const skip = ['--skip', ...Object.keys(failingTests)];
  const out = await step(`${stage}: npm run smoke`, () =>
    run(ministack, 'bin/smoke.ts', '--stage', stage, '--url', url, ...skip),
  );
  console.log(`    ${/Tests .*/.exec(out)?.[0]}`);
  await step(`${stage}: npm run admin -- verify`, () =>
    run(ministack, 'bin/admin.ts', 'verify', '--stage', stage),
  );

  await step(`${stage}: cdk destroy`, async () => {
    const unprotected = { StackName: stackNameOf(stage), EnableTerminationProtection: false };
    const unprotect = new UpdateTerminationProtectionCommand(unprotected);
    await new CloudFormationClient(config).send(unprotect);
    await run(ministack, cdk, 'destroy', '--force', '--app', app);
  });
};

/** The address of an API in MiniStack, whose own host name need not be resolved. */
const apiUrl = ({ ApiUrl = '' }: Readonly<Record<string, string>>, { url }: Ministack): string => {
  const { hostname, pathname } = new URL(ApiUrl);
  const [api] = hostname.split('.');
  return `${url}/restapis/${api}${pathname}_user_request_`;
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
  for (const context of stages) await rehearseStage(context, started);

  console.log('Not shown: alarms with metric math, and');
  for (const [what, why] of Object.entries({ ...missingTypes, ...failingTests })) {
    console.log(`    ${what}: ${why}`);
  }
  rmSync(directory, { recursive: true });
} catch (error) {
  process.exitCode = reportError(error, false);
} finally {
  await ministack?.stop();
}
