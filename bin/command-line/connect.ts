import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type Author, newAuthor } from '../../functions/domain/author.ts';
import { outbox, queueVariable } from '../../functions/domain/outbox.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { localEnvironment } from '../stack-file/local-environment.ts';
import { kebabCase, queueUrls } from '../stack-file/queue-urls.ts';
import { readStackFile, type StackFile } from '../stack-file/stack-file.ts';
import { AdminError } from './admin-error.ts';
import { importStages } from './import-stages.ts';
import { stayOnThisMachine } from './stay-on-this-machine.ts';

/** Where to find the service: a deployed stage, or else the local run that a file describes. */
export interface ServiceChoice {
  readonly stage?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly stackFile: string;
}

export interface Service {
  /** The base URL of the API, without a slash at its end. */
  readonly url: string;
  /** The ARN of the bus of its events; none where a version without events is deployed. */
  readonly eventBus?: string | undefined;
  /**
   * Makes the author of what a command writes, with a request id of its own. Called once.
   *
   * @throws AdminError when it would name nobody in a stage that keeps its data
   */
  readonly operator: () => Promise<Author>;
  /** Whether it is a stage that keeps its data. */
  readonly keepsData?: boolean;
}

/** A service, and the variables by which the code of `functions` finds it; undefined unsets one. */
interface FoundService extends Service, Pick<StackFile, 'table' | 'queues'> {
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the service, and makes it the one that the code of `functions` works on in this process.
 *
 * @throws AdminError when there is no such service
 */
export const connect = async (choice: ServiceChoice): Promise<Service> => {
  const { stage, region, profile, stackFile } = choice;
  if (!stage && (region || profile)) {
    throw new AdminError(
      '--region and --profile belong to a deployed stage: add --stage, or leave them out.',
    );
  }
  const { environment, table, queues, ...service } = stage
    ? await deployed(stage, choice)
    : await local(stackFile);
  const queueUrls = Object.fromEntries(
    Object.keys(outbox).map((queue) => [queueVariable(queue), queues[kebabCase(queue)]?.url]),
  );
  setEnvironment({ ...environment, ...queueUrls, TABLE_NAME: table, EVENT_BUS: service.eventBus });
  return service;
};

/**
 * The store, the outbox and the publisher read their table, queues, bus and endpoints from the
 * environment, as on Lambda. Nothing else in `bin/admin` or `bin/command-line` changes it.
 */
const setEnvironment = (variables: FoundService['environment']): void => {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
};

const deployed = async (stage: string, choice: ServiceChoice): Promise<FoundService> => {
  const stages = await importStages();
  const { account, region: ofStage, keepData } = stages[stage] ?? {};
  if (Object.hasOwn(stages, stage) && keepData !== false && typeof account !== 'string') {
    throw new AdminError(
      `bin/stages.ts must have the account of ${stage}, in quotes: without it, credentials of another account are not refused.`,
    );
  }
  const { profile, region = ofStage } = choice;
  const outputs = await readOutputs(stage, { region, profile }, account);
  if (!outputs.TableName) throw new AdminError(`${stackNameOf(stage)} has no output TableName.`);
  const keepsData = outputs.KeepData === 'true';
  return {
    table: outputs.TableName,
    url: (outputs.ApiUrl ?? '').replace(/\/$/, ''),
    queues: queueUrls(outputs),
    eventBus: outputs.EventBusArn,
    operator: async () => {
      // The AWS principal that the credentials belong to, as CloudTrail names it.
      const sts = new STSClient({ region, profile });
      const { Arn = '' } = await sts.send(new GetCallerIdentityCommand());
      if (keepsData) requireName(Arn);
      return authorOf(Arn);
    },
    keepsData,
    environment: {
      ...(region && { AWS_REGION: region }),
      ...(profile && { AWS_PROFILE: profile }),
    },
  };
};

/** @throws AdminError when an SDK has named a role's session, for a role or a web identity */
const requireName = (principal: string): void => {
  const [, session] = /\/((?:aws-sdk-js|botocore-session)-[^/]+)$/.exec(principal) ?? [];
  if (!session) return;
  throw new AdminError(
    `Nothing was written: the session ${session} does not name you. Add the line \`role_session_name = <your name>\` to the profile in ~/.aws/config.`,
  );
};

export const stackNameOf = (stage: string): string => `WorkforcePayments-${stage}`;

/**
 * The outputs of a stage's stack.
 *
 * @throws AdminError when it cannot be read, or is of another account
 */
const readOutputs = async (
  stage: string,
  { region, profile }: Pick<ServiceChoice, 'region' | 'profile'>,
  account: string | undefined,
): Promise<Readonly<Record<string, string>>> => {
  const stackName = stackNameOf(stage);
  const cloudFormation = new CloudFormationClient({ region, profile });
  const describe = new DescribeStacksCommand({ StackName: stackName });
  const response = await cloudFormation.send(describe).catch(async (cause: Error) => {
    throw new AdminError(
      `The stack ${stackName} cannot be read. ${await adviceFor(cause, profile)}`,
    );
  });
  const [{ StackId = '', Outputs = [] } = {}] = response.Stacks ?? [];
  const of = StackId.split(':')[4];
  if (account !== undefined && of !== account) {
    throw new AdminError(
      `The credentials are of the account ${of}, and the stage ${stage} is in ${account} (bin/stages.ts). Use a profile of that account, with --profile.`,
    );
  }
  return Object.fromEntries(
    Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  );
};

/** The SDK's reason, and what to do. */
const adviceFor = async ({ name, message }: Error, profile?: string): Promise<string> => {
  if (name === 'CredentialsProviderError') {
    return `${await faultOf(profile)} Run \`aws configure\` or \`aws sso login\`, or name another profile with --profile. For one with MFA, see lib/RUNBOOK.md#set-up.`;
  }
  if (message !== 'Region is missing') return message;
  const named = profile ?? process.env.AWS_PROFILE;
  return `${named ? await faultOf(named) : ''} The AWS region is missing: add --region, or set AWS_REGION.`.trim();
};

/**
 * Why a profile has no credentials, in the SDK's words; empty if it has. The SDK goes on to other
 * sources, and reports that none of them has any.
 */
const faultOf = async (profile?: string): Promise<string> => {
  const { fromIni } = await import('@aws-sdk/credential-provider-ini');
  return fromIni({ profile })().then(
    () => '',
    ({ message }: Error) =>
      message
        .trim()
        .replaceAll(/\s*\n\s*/g, ': ')
        .replace(/[^.]$/, '$&.'),
  );
};

const authorOf = (name: string): Author => newAuthor(`operator:${name}`, `run_${newOpaque()}`);

/** A run that is alive responds in milliseconds; the SDK would try for minutes. */
const responseMs = 5000;

const local = async (file: string): Promise<FoundService> => {
  const { pid, url, table, endpoints, queues, eventBus } = read(file);
  stayOnThisMachine();
  const signal = AbortSignal.timeout(responseMs);
  await fetch(endpoints.sqs, { signal }).catch(() => {});
  if (signal.aborted) {
    throw new AdminError(
      `The local run, process ${pid}, does not respond. If it is suspended, continue it with fg.`,
    );
  }
  return {
    table,
    url,
    queues,
    eventBus,
    // By number where the user has no name, as in some containers.
    operator: async () => authorOf(process.env.USER || String(process.getuid?.())),
    environment: localEnvironment({ table, endpoints }),
  };
};

const read = (file: string): StackFile => {
  try {
    return readStackFile(file);
  } catch (error) {
    const advice =
      'Run `npm start`, or name the file of another run with --stack-file, or a deployed stage with --stage.';
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const fault = isMissing ? 'is missing' : 'does not describe a local run';
    throw new AdminError(`${file} ${fault}. ${advice}`);
  }
};
