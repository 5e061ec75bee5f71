import { readFileSync } from 'node:fs';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';

/** Where to find the service: a deployed stage, or else the local run. */
export interface Target {
  readonly stage?: string;
  readonly region?: string;
  readonly profile?: string;
}

/** What an operator can mend; printed as a sentence, without a stack trace. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}

/**
 * Points the store at the service's table.
 *
 * @throws AdminError when there is no such service
 */
export const connect = async (target: Target): Promise<void> => {
  if (target.region) process.env.AWS_REGION = target.region;
  if (target.profile) process.env.AWS_PROFILE = target.profile;
  Object.assign(process.env, target.stage ? await deployed(target.stage) : local());
};

const deployed = async (stage: string): Promise<Record<string, string>> => {
  const stackName = `WorkforcePayments-${stage}`;
  const answer = await new CloudFormationClient({})
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch((error: Error) => {
      throw new AdminError(`The stack ${stackName} cannot be read: ${error.message}`);
    });
  const outputs = answer.Stacks?.[0]?.Outputs ?? [];
  const table = outputs.find(({ OutputKey }) => OutputKey === 'TableName')?.OutputValue;
  if (!table) throw new AdminError(`The stack ${stackName} has no output TableName.`);
  return { TABLE_NAME: table };
};

const local = (): Record<string, string> => {
  try {
    const { table, endpoints } = JSON.parse(readFileSync('.local/stack.json', 'utf8'));
    return {
      TABLE_NAME: table,
      AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
  } catch {
    throw new AdminError(
      'Nothing runs here: .local/stack.json is missing. Run `npm start`, or name a deployed stage with --stage.',
    );
  }
};
