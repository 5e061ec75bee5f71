import { Stack, Validations } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountRootPrincipal, ManagedPolicy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { QueueConsumer } from './queue-consumer.ts';
import { printedArnIn, wildcardFinding } from './service-function.ts';
import type { StreamReader } from './stream-reader.ts';

/** What operators work on: dead letters are messages, or positions of the stream. */
type Kind = 'stack' | 'table' | 'queues' | 'messages' | 'positions' | 'bus';

/** The actions that operators are allowed, each with what it is on. */
export const permissions: Readonly<Record<string, readonly Kind[]>> = {
  'cloudformation:DescribeStacks': ['stack'],
  'dynamodb:GetItem': ['table'],
  'dynamodb:Query': ['table'],
  'dynamodb:Scan': ['table'],
  'dynamodb:PutItem': ['table'],
  'dynamodb:UpdateItem': ['table'],
  'sqs:SendMessage': ['queues'],
  'sqs:ReceiveMessage': ['messages', 'positions'],
  'sqs:DeleteMessage': ['messages'],
  'sqs:StartMessageMoveTask': ['messages'],
  'sqs:ListMessageMoveTasks': ['messages'],
  'sqs:PurgeQueue': ['positions'],
  'sqs:GetQueueAttributes': ['queues', 'messages', 'positions'],
  'events:PutEvents': ['bus'],
};

/** Every call of the command line and of the runbook, with the permissions that it needs. */
export const calls: Readonly<Record<string, readonly string[]>> = {
  DescribeStacks: ['cloudformation:DescribeStacks'],
  // "No permissions are required" (AWS STS API Reference).
  GetCallerIdentity: [],
  GetItem: ['dynamodb:GetItem'],
  Query: ['dynamodb:Query'],
  Scan: ['dynamodb:Scan'],
  PutItem: ['dynamodb:PutItem'],
  UpdateItem: ['dynamodb:UpdateItem'],
  // Those of its parts (Amazon DynamoDB Developer Guide, "Using IAM with DynamoDB transactions").
  TransactWriteItems: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
  SendMessageBatch: ['sqs:SendMessage'],
  PutEvents: ['events:PutEvents'],
  GetQueueAttributes: ['sqs:GetQueueAttributes'],
  PurgeQueue: ['sqs:PurgeQueue'],
  ReceiveMessage: ['sqs:ReceiveMessage'],
  DeleteMessage: ['sqs:DeleteMessage'],
  // It receives, deletes and sends with its caller's permissions (Amazon SQS API Reference).
  StartMessageMoveTask: [
    ...['sqs:StartMessageMoveTask', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'],
    ...['sqs:GetQueueAttributes', 'sqs:SendMessage'],
  ],
  ListMessageMoveTasks: ['sqs:ListMessageMoveTasks'],
};

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
    const messages = consumers.map(({ deadLetters }) => deadLetters.queueArn);
    const positions = readers.map(({ deadLetters }) => deadLetters.queueArn);
    const { stackName } = Stack.of(this);
    const name = { service: 'cloudformation', resource: 'stack', resourceName: `${stackName}/*` };
    const arns: Record<Kind, readonly string[]> = {
      // Reports have both: that of the stack, and this one, whose id is a literal asterisk.
      stack: [Stack.of(this).formatArn(name)],
      table: [table.tableArn],
      queues: consumers.map(({ queue }) => queue.queueArn),
      messages,
      positions,
      bus: [bus.eventBusArn],
    };
    this.policy = new ManagedPolicy(this, 'Policy', {
      description: "What the operators' command line needs",
      statements: Object.entries(permissions).map(
        ([action, kinds]) =>
          new PolicyStatement({
            actions: [action],
            resources: kinds.flatMap((kind) => arns[kind]),
          }),
      ),
    });
    const stack = printedArnIn(Stack.of(this), 'cloudformation', `stack/${stackName}/*`);
    Validations.of(this.policy).acknowledge({
      id: wildcardFinding(stack),
      reason: 'It is the one stack of this name: its id is known only when it exists.',
    });
    this.role = new Role(this, 'Role', {
      description: 'Operators of workforce payments',
      // The account's own policies decide who may assume it.
      assumedBy: new AccountRootPrincipal(),
      managedPolicies: [this.policy],
    });
  }
}
