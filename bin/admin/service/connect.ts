import type { CloudFormationClientConfig } from '@aws-sdk/client-cloudformation';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { outbox, queueVariable } from '../../../functions/domain/outbox.ts';
import { credentials, region as localRegion } from '../../../lib/local/aws-account.ts';
import { ignoreAwsSettings } from '../../ignore-aws-settings.ts';
import { localEnvironment } from '../../local-run/local-environment.ts';
import { kebabCase, type Resources, resourcesIn } from '../../local-run/resources.ts';
import { readStackFile, type StackFile } from '../../local-run/stack-file.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { awsOperator, localOperator, type Operator } from './operator.ts';

/** Where to find the service: a deployed stage, or else the local run that a file describes. */
export interface ServiceChoice {
  readonly stage?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly stackFile: string;
}

/** How long EventBridge may need. */
export interface EventDelays {
  /** Until a new rule gets every event ("a short period of time", API reference of PutRule). */
  readonly ruleMs: number;
  /** How long a queue gets no event when it has all of a completed replay; 20 seconds at most. */
  readonly lastPollS: number;
}

/** The service as commands find it. */
export interface Service extends Resources {
  /** The name of its table. */
  readonly table: string;
  /** The base URL of the API, without a slash at its end. */
  readonly url: string;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly eventDelays: EventDelays;
  /** Who runs the command. */
  readonly operator: Operator;
}

/** A service, and the variables by which the code of `functions` finds it; undefined unsets one. */
interface FoundService extends Service {
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the service, and makes it the one that the code of `functions` works on in this process.
 *
 * @param otherTable the table of the service's account that it works on instead of the service's
 * @throws AdminError when there is no such service
 */
export const connect = async (choice: ServiceChoice, otherTable?: string): Promise<Service> => {
  const { stage, region, profile, stackFile } = choice;
  if (!stage && (region || profile)) {
    throw new AdminError(
      '--region and --profile belong to a deployed stage: add --stage, or leave them out.',
    );
  }
  const { environment, ...service } = stage ? await deployed(stage, choice) : local(stackFile);
  setEnvironment({
    ...environment,
    ...Object.fromEntries(
      Object.keys(outbox).map((queue) => [
        queueVariable(queue),
        service.queues[kebabCase(queue)]?.url,
      ]),
    ),
    EVENT_BUS: service.eventBus,
    TABLE_NAME: otherTable ?? service.table,
  });
  return service;
};

/**
 * The store, the outbox and the publisher read their table, queues, bus and endpoints from the
 * environment, as on Lambda. Nothing else in `bin/admin` changes it.
 */
const setEnvironment = (variables: FoundService['environment']): void => {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
};

const deployed = async (
  stage: string,
  { region, profile }: ServiceChoice,
): Promise<FoundService> => {
  const outputs = await readOutputs(stage, { region, profile });
  if (!outputs.TableName) throw new AdminError(`${stackNameOf(stage)} has no output TableName.`);
  return {
    table: outputs.TableName,
    url: (outputs.ApiUrl ?? '').replace(/\/$/, ''),
    ...resourcesIn(outputs),
    sqs: new SQSClient({ region, profile }),
    eventBridge: new EventBridgeClient({ region, profile }),
    eventDelays: { ruleMs: 60_000, lastPollS: 20 },
    operator: awsOperator({ region, profile }),
    environment: {
      ...(region && { AWS_REGION: region }),
      ...(profile && { AWS_PROFILE: profile }),
    },
  };
};

/** The name of a stage's stack. */
export const stackNameOf = (stage: string): string => `WorkforcePayments-${stage}`;

/**
 * The outputs of a stage's stack.
 *
 * @throws AdminError when it cannot be read; its cause is the error of AWS
 */
export const readOutputs = async (
  stage: string,
  config: CloudFormationClientConfig,
): Promise<Readonly<Record<string, string>>> => {
  const stackName = stackNameOf(stage);
  const answer = await describeStack(stackName, config).catch((cause: Error) => {
    throw new AdminError(`The stack ${stackName} cannot be read. ${adviceFor(cause)}`, { cause });
  });
  const outputs = answer.Stacks?.[0]?.Outputs ?? [];
  return Object.fromEntries(
    outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
};

const describeStack = async (StackName: string, config: CloudFormationClientConfig) => {
  // A local run needs none of it.
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  return new CloudFormationClient(config).send(new DescribeStacksCommand({ StackName }));
};

const adviceFor = ({ name, message }: Error): string => {
  if (name === 'CredentialsProviderError')
    return 'There are no AWS credentials: run `aws configure` or `aws sso login`, or name a profile with --profile.';
  if (message === 'Region is missing')
    return 'The AWS region is missing: add --region, or set AWS_REGION.';
  return message;
};

const local = (file: string): FoundService => {
  const { url, table, endpoints, queues, eventBus, eventArchive } = read(file);
  ignoreAwsSettings();
  const settings = { region: localRegion, credentials };
  return {
    table,
    url,
    queues,
    eventBus,
    eventArchive,
    sqs: new SQSClient({ ...settings, endpoint: endpoints.sqs }),
    eventBridge: new EventBridgeClient({ ...settings, endpoint: endpoints.eventbridge }),
    // Events arrive at once.
    eventDelays: { ruleMs: 0, lastPollS: 2 },
    operator: localOperator(),
    environment: localEnvironment({ table, endpoints }),
  };
};

const read = (file: string): StackFile => {
  try {
    return readStackFile(file);
  } catch (error) {
    const advice =
      'Run `npm start`, or name the file of another run with --stack-file, or a deployed stage with --stage.';
    throw new AdminError(`${faultOf(error as Error, file)} ${advice}`);
  }
};

const faultOf = (error: NodeJS.ErrnoException, file: string): string => {
  if (error.code === 'ENOENT') return `No local run is found: ${file} is missing.`;
  if (error instanceof SyntaxError) return `${file} is not JSON.`;
  if (error instanceof z.ZodError) {
    const faults = error.issues.map(({ path }) => path.join('.') || 'everything');
    return `${file} does not describe a local run. Missing or wrong: ${faults.join(', ')}.`;
  }
  return `${file} cannot be read: ${error.message}.`;
};
