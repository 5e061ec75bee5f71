import { Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountRootPrincipal, ManagedPolicy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { QueueConsumer } from './queue-consumer.ts';
import type { StreamReader } from './stream-reader.ts';

/** What operators work on. */
export interface OperatorAccessProps {
  readonly table: Table;
  readonly bus: EventBus;
  readonly consumers: readonly QueueConsumer[];
  readonly readers: readonly StreamReader[];
}

/** What the command line needs, and a role with it that operators assume. */
export class OperatorAccess extends Construct {
  readonly role: Role;
  readonly policy: ManagedPolicy;

  constructor(
    scope: Construct,
    id: string,
    { table, bus, consumers, readers }: OperatorAccessProps,
  ) {
    super(scope, id);
    const queues = consumers.map(({ queue }) => queue);
    const positions = readers.map((each) => each.deadLetters);
    const messages = consumers.map((each) => each.deadLetters);
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
        allow(['events:PutEvents'], bus.eventBusArn),
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
