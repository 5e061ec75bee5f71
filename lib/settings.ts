import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as z from 'zod';

/** What can be set for a stage, each with `--context name=value`. */
const Context = z.strictObject({
  stage: z.enum(['dev', 'prod'], 'must be dev or prod').default('dev'),
  sender: z.email('must be the e-mail address that offers are sent from').optional(),
  logRetentionDays: z.coerce
    .number()
    .refine((days) => days in RetentionDays, 'must be a number of days that CloudWatch Logs knows')
    .optional(),
});

export interface Settings {
  readonly stage: 'dev' | 'prod';
  /** Where offers come from: an address, or an address of a domain, that SES has verified. */
  readonly sender: string;
  readonly logRetention: RetentionDays;
  /** Whether the data outlives the stack. */
  readonly removalPolicy: RemovalPolicy;
}

/** A setting is wrong; the message says which, and what it may be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** @throws SettingsError a sentence about each context value that is wrong */
export const readSettings = (node: Node): Settings => {
  const names = Object.keys(Context.shape);
  const given = names.map((name) => [name, node.tryGetContext(name)]);
  const { success, data, error } = Context.safeParse(
    Object.fromEntries(given.filter(([, value]) => value !== undefined)),
  );
  if (!success) {
    const sentences = error.issues.map(({ path, message }) => `The context ${path} ${message}.`);
    throw new SettingsError(sentences.join('\n'));
  }
  const { stage, sender, logRetentionDays } = data;
  if (stage === 'prod' && !sender) {
    throw new SettingsError(
      'The stage prod needs the address that offers are sent from: --context sender=offers@your.domain',
    );
  }
  return {
    stage,
    sender: sender ?? 'offers@example.com',
    logRetention:
      logRetentionDays ?? (stage === 'prod' ? RetentionDays.ONE_YEAR : RetentionDays.ONE_WEEK),
    removalPolicy: stage === 'prod' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  };
};
