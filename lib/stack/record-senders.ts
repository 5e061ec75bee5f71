import {
  Effect,
  type IRole,
  PolicyStatement,
  ServicePrincipal,
  StarPrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';

/**
 * Allows only these roles, users, topics and rules to send messages to a queue, whatever the
 * account allows except to assume one of the roles: a record of any workspace may come from it. Of
 * a role's session `aws:PrincipalArn` is the role. SNS and EventBridge have no ARN here: they are
 * allowed for the topic or rule that they act for alone (IAM User Guide, "AWS global condition
 * context keys").
 *
 * By default any queue of the account may name this one as its dead-letter queue, and SQS may move
 * anybody's messages into it (Amazon SQS API Reference, SetQueueAttributes).
 */
export const allowOnlySenders = (
  queue: Queue,
  senders: readonly string[],
  operators: IRole,
): void => {
  const isPrincipal = (arn: string) => arn.includes(':iam:');
  const sources = senders.filter((arn) => !isPrincipal(arn));
  const action = { actions: ['sqs:SendMessage'], resources: [queue.queueArn] };
  queue.addToResourcePolicy(
    new PolicyStatement({
      ...action,
      effect: Effect.DENY,
      principals: [new StarPrincipal()],
      conditions: {
        ArnNotEquals: { 'aws:PrincipalArn': [...senders.filter(isPrincipal), operators.roleArn] },
        Bool: { 'aws:PrincipalIsAWSService': 'false' },
      },
    }),
  );
  (queue.node.defaultChild as CfnQueue).redriveAllowPolicy = { redrivePermission: 'denyAll' };
  if (sources.length === 0) return;
  queue.addToResourcePolicy(
    new PolicyStatement({
      ...action,
      principals: ['sns', 'events'].map((name) => new ServicePrincipal(`${name}.amazonaws.com`)),
      conditions: { ArnEquals: { 'aws:SourceArn': sources } },
    }),
  );
};
