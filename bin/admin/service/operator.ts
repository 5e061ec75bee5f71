import { userInfo } from 'node:os';
import type { STSClientConfig } from '@aws-sdk/client-sts';
import { type Author, newAuthor } from '../../../functions/domain/author.ts';
import { newOpaque } from '../../../functions/runtime/identity.ts';

/** The author of what this command writes. Every run has a request id of its own. */
export type Operator = () => Promise<Author>;

/**
 * The AWS principal that the credentials belong to, as CloudTrail names it; STS is asked once, at
 * the first write.
 */
export const awsOperator = (config: STSClientConfig): Operator => {
  let author: Promise<Author> | undefined;
  const identify = async () => {
    const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
    const { Arn = '' } = await new STSClient(config).send(new GetCallerIdentityCommand());
    return operator(Arn);
  };
  return () => {
    author ??= identify();
    return author;
  };
};

/** The user of this machine: by number where the user has no name, as in some containers. */
export const localOperator = (): Operator => {
  const author = operator(userName());
  return async () => author;
};

const userName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
};

const operator = (name: string): Author => newAuthor(`operator:${name}`, `run_${newOpaque()}`);
