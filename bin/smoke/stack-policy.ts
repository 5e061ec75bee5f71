import { CloudFormationClient, GetStackPolicyCommand } from '@aws-sdk/client-cloudformation';
import { stackNameOf } from '../command-line/connect.ts';

/** Warns of a stage that keeps its data and that an update of its stack could take it from. */
export const warnWithoutPolicy = async (stage: string): Promise<void> => {
  const StackName = stackNameOf(stage);
  const warning = await new CloudFormationClient()
    .send(new GetStackPolicyCommand({ StackName }))
    .then(
      ({ StackPolicyBody }) =>
        StackPolicyBody
          ? undefined
          : `${StackName} has no stack policy: a deployment could replace or delete its table. Set lib/stack/stack-policy.json, as lib/DEPLOY.md shows.`,
      ({ message }: Error) => `The stack policy of ${StackName} cannot be read. ${message}`,
    );
  if (warning) console.warn(`warning: ${warning}`);
};
