import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished } from 'vitest';
import { keys } from '../../../functions/store/keys.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { createTable } from '../../../test/support/create-table.ts';
import { findSummary } from '../../../test/support/delivery-attempts.ts';
import { FaultProxy } from '../../../test/support/fault-proxy.ts';
import { putAll } from '../../../test/support/put-all.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { serverOf } from '../../../test/support/servers.ts';
import type { StackFile } from '../../local-run/stack-file.ts';
import { stackFileOf } from '../../local-run/stack-file.ts';
import { readPartition } from '../table/scan.ts';
import { commandLineOf } from './bundle-admin.ts';
import { type CommandRun, type StartedCommand, startInProcess } from './run-in-process.ts';

export type { CommandRun };

const directory = inject('runDirectory');
/** The operators' command line, as a bundle. */
export const adminScript = inject('adminScript');

/** Writes a file for a command to read. */
export const file = (name: string, content: string | Buffer): string => {
  const path = join(directory, `${randomUUID()}-${name}`);
  writeFileSync(path, content);
  return path;
};

/** What `npm start` writes, for the service that the tests share, which has no reference page. */
const shared = stackFileOf(stack, stack.url);

/** Writes the file of the shared service, or of one that differs from it. */
export const stackFile = (other: Partial<StackFile> = {}): string =>
  file('stack.json', JSON.stringify({ ...shared, ...other }));

/** The file of the shared service. */
export const sharedStackFile = stackFile();

/** A stack file with a proxy between the commands and DynamoDB, which ends with the test. */
export const proxiedStackFile = async (table = stack.table) => {
  const proxy = await FaultProxy.start(stack.endpoints.dynamodb);
  onTestFinished(() => proxy.stop());
  const endpoints = { ...stack.endpoints, dynamodb: proxy.url };
  return { proxy, at: stackFile({ table, endpoints }) };
};

/** Runs the operators' command, without a terminal. */
export const admin = (...args: string[]): Promise<CommandRun> => adminAt(sharedStackFile, ...args);

export const adminAt = (at: string, ...args: string[]): Promise<CommandRun> =>
  runCommand(adminScript, args, at);

/** Starts the command with its standard input open. */
export const startAdmin = (args: readonly string[], at?: string) =>
  startCommand(adminScript, args, at);

/** Starts the command as a child process, for a test of signals, pipes or Node's own settings. */
export const startAdminProcess = (
  args: readonly string[],
  at?: string,
  environment?: NodeJS.ProcessEnv,
) => startProcess(adminScript, args, at, environment);

const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux');
/** Why no command can be run on a terminal here. */
export const noTerminal = hasScript
  ? undefined
  : 'There is no script of util-linux on this machine.';

/**
 * Starts the command on a terminal.
 *
 * @returns with it a promise that it asks for a confirmation, and its output so far
 */
export const startOnTerminal = (args: readonly string[]) => {
  const command = [process.execPath, adminScript, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...childEnvironment(), WFP_STACK_FILE: sharedStackFile },
  });
  onTestFinished(() => void child.kill());
  let output = '';
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('[y/N]')) resolve();
  });
  return { child, closed: once(child, 'close'), asked, output: () => output };
};

/** A device of Linux on which nothing finds room. */
export const fullDevice = '/dev/full';

/** Runs the command with its standard output on the full device. */
export const adminWithoutRoom = (...args: string[]) => {
  const output = openSync(fullDevice, 'w');
  const child = spawn(process.execPath, [adminScript, ...args], {
    stdio: ['ignore', output, 'pipe'],
    env: { ...childEnvironment(), WFP_STACK_FILE: sharedStackFile },
  });
  closeSync(output);
  const run = Promise.all([once(child, 'close'), text(child.stderr as Readable)]).then(
    ([[code], stderr]): Omit<CommandRun, 'stdout'> => ({ code, stderr }),
  );
  return { child, run };
};

/** Starts a script, as a child process, that finds the service as the operators' commands do. */
export const startProcess = (
  script: string,
  args: readonly string[],
  at = sharedStackFile,
  environment = childEnvironment(),
) => {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...environment, WFP_STACK_FILE: at },
  });
  // A command that does not read its input closes it.
  child.stdin.on('error', () => {});
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const run = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]): CommandRun => ({ code, stdout, stderr }),
  );
  return { child, stdin: child.stdin, run };
};

/** Runs such a script without any input. */
export const runProcess = (...command: Parameters<typeof startProcess>): Promise<CommandRun> =>
  withoutInput(startProcess(...command));

const withoutInput = ({ stdin, run }: StartedCommand): Promise<CommandRun> => {
  stdin.end();
  return run;
};

/**
 * Starts a command of a bundle that `bundleAdmin` has made: in this process, or with
 * COMMANDS=process as a child process. Both print the same, and end with the same code.
 */
const startCommand = (
  script: string,
  args: readonly string[],
  at = sharedStackFile,
  environment = childEnvironment(),
): StartedCommand =>
  process.env.COMMANDS === 'process'
    ? startProcess(script, args, at, environment)
    : startInProcess(commandLineOf(script), args, { ...environment, WFP_STACK_FILE: at });

/** Runs such a command without any input. */
export const runCommand = (...command: Parameters<typeof startCommand>): Promise<CommandRun> =>
  withoutInput(startCommand(...command));

/** The AWS principal of an operator. */
export const principal = 'arn:aws:sts::123456789012:assumed-role/Operators/jane';

/**
 * A deployed stage whose stack has these outputs, as far as commands can tell.
 *
 * @param outputs undefined if the stage was never deployed
 * @returns the actions of CloudFormation and STS that were called, and the environment of a command
 */
export const stageOf = async (
  outputs: Readonly<Record<string, string | undefined>> | undefined,
) => {
  const asked: string[] = [];
  const members = Object.entries(outputs ?? {}).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const aws = await serverOf(async (request, response) => {
    const action = new URLSearchParams(await text(request)).get('Action') ?? '';
    const [, account] = /Credential=(\w+)/.exec(request.headers.authorization ?? '') ?? [];
    asked.push(action);
    response.setHeader('Content-Type', 'text/xml');
    if (!outputs && action === 'DescribeStacks') {
      response
        .writeHead(400)
        .end(
          '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id WorkforcePayments-dev does not exist</Message></Error></ErrorResponse>',
        );
      return;
    }
    const result = {
      DescribeStacks: `<Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks>`,
      GetCallerIdentity: `<Arn>${principal}</Arn><Account>${account}</Account>`,
    }[action];
    response.end(
      `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`,
    );
  });
  const environment = {
    ...childEnvironment(),
    AWS_ENDPOINT_URL_CLOUDFORMATION: aws,
    AWS_ENDPOINT_URL_STS: aws,
    AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: stack.endpoints.sqs,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  return { asked, environment };
};

/** The result of a command that is expected to succeed. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what they look into.
export const adminJson = async (...args: string[]): Promise<any> => {
  const { code, stdout, stderr } = await admin(...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
};

/** The result of a command for the service of a stack file, whatever its exit code. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what they look into.
export const jsonAt = async (at: string, ...args: string[]): Promise<any> =>
  JSON.parse((await adminAt(at, ...args, '--json')).stdout);

/** Waits until the last attempt of an offer has a status. @returns the offer, as it is shown */
export const offerThatIs = async (status: string, id: string) => {
  await expect.poll(() => findSummary(id)).toMatchObject({ last_attempt: { status } });
  return adminJson('offer', 'show', id);
};

/** Waits until every sandbox of a workspace is ready. */
export const waitForSandboxes = async (workspace: string) => {
  const unready = async () => {
    const items = await readPartition(keys.workspace(workspace).pk);
    return items.filter(({ type, status }) => type === 'SANDBOX' && status !== 'ready');
  };
  await expect.poll(unready).toEqual([]);
};

/** A table of these items like the service's, of which nothing reads the stream. */
export const newTable = async (items: readonly object[] = []): Promise<string> => {
  const name = `Own-${randomUUID()}`;
  await createTable(name);
  await putAll(items, name);
  return name;
};
