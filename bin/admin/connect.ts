import { readFileSync } from 'node:fs';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import { localEnvironment } from '../local-environment.ts';
import { AdminError } from './admin-error.ts';
import { type QueueUrls, queueUrls } from './queue-urls.ts';

/** What a command needs of the file that `npm start` writes. */
const StackFile = z.object({
  table: z.string(),
  endpoints: z.object({
    dynamodb: z.url(),
    sqs: z.url(),
    eventbridge: z.url().optional(),
  }),
  queues: z
    .record(z.string(), z.object({ url: z.string().optional(), deadLetters: z.string() }))
    .default({}),
  mailConfigurationSet: z.string().optional(),
});

/** Where to find the service: a deployed stage, or else the local run that a file tells of. */
export interface Target {
  readonly stage?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly stackFile: string;
}

/** What of the service a command needs besides the table. */
export interface Service {
  readonly queues: Readonly<Record<string, QueueUrls>>;
  /** What the stack sends mail with. */
  readonly mailConfigurationSet: string | undefined;
}

/**
 * Points the store at the service's table.
 *
 * @throws AdminError when there is no such service
 */
export const connect = async (target: Target): Promise<Service> => {
  if (target.stage) return deployed(target.stage, target);
  if (target.region || target.profile) {
    throw new AdminError(
      '--region and --profile belong to a deployed stage: add --stage, or leave them out.',
    );
  }
  return local(target.stackFile);
};

const deployed = async (stage: string, { region, profile }: Target): Promise<Service> => {
  if (region) process.env.AWS_REGION = region;
  if (profile) process.env.AWS_PROFILE = profile;
  const stackName = `WorkforcePayments-${stage}`;
  const answer = await new CloudFormationClient({})
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch((error: Error) => {
      throw new AdminError(`The stack ${stackName} cannot be read. ${adviceFor(error)}`);
    });
  const outputs = Object.fromEntries(
    (answer.Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [
      OutputKey,
      OutputValue,
    ]),
  );
  if (!outputs.TableName) throw new AdminError(`The stack ${stackName} has no output TableName.`);
  process.env.TABLE_NAME = outputs.TableName;
  return { queues: queueUrls(outputs), mailConfigurationSet: outputs.MailConfigurationSet };
};

const adviceFor = ({ name, message }: Error): string => {
  if (name === 'CredentialsProviderError')
    return 'There are no AWS credentials: run `aws configure` or `aws sso login`, or name a profile with --profile.';
  if (message === 'Region is missing')
    return 'The AWS region is missing: add --region, or set AWS_REGION.';
  return message;
};

const local = (file: string): Service => {
  const { queues, mailConfigurationSet, ...service } = readStackFile(file);
  Object.assign(process.env, localEnvironment(service));
  // The SDK prefers a profile to these keys, and would ask AWS for credentials that nobody needs.
  delete process.env.AWS_PROFILE;
  return { queues, mailConfigurationSet };
};

const readStackFile = (file: string): z.infer<typeof StackFile> => {
  const { success, data, error } = StackFile.safeParse(parse(read(file), file));
  if (success) return data;
  const faults = error.issues.map(({ path }) => path.join('.') || 'everything');
  throw new AdminError(
    `${file} does not describe a local run. Missing or wrong: ${faults.join(', ')}. ${advice}`,
  );
};

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new AdminError(`${file} cannot be read: ${(error as Error).message}. ${advice}`);
    throw new AdminError(`Nothing runs here: ${file} is missing. ${advice}`);
  }
};

const parse = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new AdminError(`${file} is not JSON. ${advice}`);
  }
};

const advice = 'Run `npm start`, or name a deployed stage with --stage.';
