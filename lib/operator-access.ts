import { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, ManagedPolicy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MonitoredResources } from './monitored-resources.ts';

/** What the command line and the runbook need, and a role with it that operators assume. */
export class OperatorAccess extends Construct {
  readonly role: Role;
  readonly policy: ManagedPolicy;

  constructor(
    scope: Construct,
    id: string,
    { table, outbox, events, consumers }: MonitoredResources,
  ) {
    super(scope, id);
    const queues = Object.values(consumers).map(({ queue }) => queue);
    const positions = [outbox, events.publisher].map((each) => each.deadLetters);
    const messages = Object.values(consumers).map((each) => each.deadLetters);
    const allow = (actions: string[], ...resources: string[]) =>
      new PolicyStatement({ actions, resources });
    const allowQueues = (actions: string[], ...of: Queue[]) =>
      allow(actions, ...of.map(({ queueArn }) => queueArn));
    this.policy = new ManagedPolicy(this, 'Policy', {
      description: "What the operators' command line needs",
      statements: [
        allow(['cloudformation:DescribeStacks'], Stack.of(this).stackId),
        // A transaction needs the permissions of its parts (Amazon DynamoDB Developer Guide, "How
        // it works: DynamoDB transactions").
        allow(tableActions, table.tableArn),
        allowQueues(['sqs:SendMessage'], ...queues),
        // A redrive receives, deletes and sends with its caller's permissions (Amazon SQS API
        // Reference, "StartMessageMoveTask").
        allowQueues(['sqs:DeleteMessage', 'sqs:StartMessageMoveTask'], ...messages),
        allowQueues(['sqs:ReceiveMessage'], ...messages, ...positions),
        allowQueues(['sqs:PurgeQueue'], ...positions),
        allowQueues(['sqs:GetQueueAttributes'], ...queues, ...messages, ...positions),
        allow(['events:PutEvents'], events.bus.eventBusArn),
      ],
    });
    this.role = new Role(this, 'Role', {
      description: 'Operators of workforce payments',
      // Who of the account may assume it is for the account's own policies to say.
      assumedBy: new AccountRootPrincipal(),
      managedPolicies: [this.policy],
    });
  }
}

const tableActions = ['GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'].map(
  (action) => `dynamodb:${action}`,
);
