import { GetCallerIdentityCommand, STSClient, type STSClientConfig } from '@aws-sdk/client-sts';
import { type Author, newAuthor } from '../../functions/domain/author.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';

/** The author of what this command writes, with a request id of its own. Called once in a run. */
export type Operator = () => Promise<Author>;

/** The AWS principal that the credentials belong to, as CloudTrail names it. */
export const awsOperator =
  (config: STSClientConfig): Operator =>
  async () => {
    const { Arn = '' } = await new STSClient(config).send(new GetCallerIdentityCommand());
    return operator(Arn);
  };

/** The user of this machine: by number where the user has no name, as in some containers. */
export const localOperator: Operator = async () =>
  operator(process.env.USER || String(process.getuid?.()));

const operator = (name: string): Author => newAuthor(`operator:${name}`, `run_${newOpaque()}`);
