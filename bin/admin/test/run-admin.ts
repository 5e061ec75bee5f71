import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject, onTestFinished } from 'vitest';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { createTable } from '../../../test/support/create-table.ts';
import { FaultProxy } from '../../../test/support/fault-proxy.ts';
import { putAll } from '../../../test/support/put-all.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { serverOf } from '../../../test/support/servers.ts';
import { withStages } from '../../../test/support/with-stages.ts';
import { type StackFile, stackFileOf } from '../../stack-file/stack-file.ts';

/** How a command ended: its exit code, null if a signal killed it, and what it printed. */
interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const directory = inject('runDirectory');
/** The operators' command line. */
export const adminScript = 'bin/wfp.ts';

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

/** The same for the service of a stack file. */
export const adminAt = (at: string, ...args: string[]): Promise<CommandRun> =>
  runProcess(adminScript, args, at);

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
  return { child, run };
};

/** Runs such a script without any input. */
export const runProcess = (...command: Parameters<typeof startProcess>): Promise<CommandRun> => {
  const { child, run } = startProcess(...command);
  child.stdin.end();
  return run;
};

/** The AWS principal of an operator. */
export const principal = 'arn:aws:sts::123456789012:assumed-role/Operators/jane';

/** The id of a deployed stack, whose account operators compare with that of the stage. */
const stackId = 'arn:aws:cloudformation:eu-central-1:123456789012:stack/WorkforcePayments-dev/1';

/**
 * The servers that a command finds behind a deployed stage whose stack has these outputs.
 *
 * @param stackPolicy none unless given
 * @param caller whose credentials they are
 * @returns the actions of CloudFormation and STS that were called, and the environment of a command
 */
export const stageOf = async (
  outputs: Readonly<Record<string, string | undefined>>,
  stackPolicy = '',
  caller = principal,
) => {
  const asked: string[] = [];
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const aws = await serverOf(async (request, response) => {
    const action = new URLSearchParams(await text(request)).get('Action') ?? '';
    asked.push(action);
    response.setHeader('Content-Type', 'text/xml');
    const result = {
      DescribeStacks: `<Stacks><member><StackId>${stackId}</StackId><Outputs>${members.join('')}</Outputs></member></Stacks>`,
      GetStackPolicy: stackPolicy && `<StackPolicyBody>${stackPolicy}</StackPolicyBody>`,
      GetCallerIdentity: `<Arn>${caller}</Arn>`,
    }[action];
    response.end(
      `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`,
    );
  });
  const environment = {
    ...childEnvironment(),
    NODE_OPTIONS: withStages({ dev: { keepData: false, account: '123456789012' } }),
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
export const adminJson = (...args: string[]) => jsonAt(sharedStackFile, ...args);

/** The same for the service of a stack file. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what they look into.
export const jsonAt = async (at: string, ...args: string[]): Promise<any> => {
  const { code, stdout, stderr } = await adminAt(at, ...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
};

/** A table of these items like the service's, of which nothing reads the stream. */
export const newTable = async (items: readonly object[] = []): Promise<string> => {
  const name = `Own-${randomUUID()}`;
  await createTable(name);
  await putAll(items, name);
  return name;
};
