import { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, ManagedPolicy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { MonitoredResources } from './monitored-resources.ts';

/** What the operators' command line needs, and a role with it that persons assume. */
export class OperatorAccess extends Construct {
  readonly role: Role;
  readonly policy: ManagedPolicy;

  constructor(
    scope: Construct,
    id: string,
    { table, outbox, events, consumers }: MonitoredResources,
  ) {
    super(scope, id);
    const queues = Object.values(consumers);
    const deadLetters = [outbox, events.publisher, ...queues].map((each) => each.deadLetters);
    const allow = (actions: string[], ...resources: string[]) =>
      new PolicyStatement({ actions, resources });
    this.policy = new ManagedPolicy(this, 'Policy', {
      description: "What the operators' command line needs",
      statements: [
        allow(['cloudformation:DescribeStacks'], Stack.of(this).stackId),
        // A transaction needs the permissions of its parts (Amazon DynamoDB Developer Guide, "How
        // it works: DynamoDB transactions").
        allow(tableActions, table.tableArn),
        allow(['sqs:SendMessage'], ...queues.map(({ queue }) => queue.queueArn)),
        allow(deadLetterActions, ...deadLetters.map(({ queueArn }) => queueArn)),
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

const tableActions = [
  'BatchGetItem',
  'ConditionCheckItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'UpdateItem',
].map((action) => `dynamodb:${action}`);

const deadLetterActions = [
  'ChangeMessageVisibility',
  'DeleteMessage',
  'GetQueueAttributes',
  'ReceiveMessage',
].map((action) => `sqs:${action}`);
