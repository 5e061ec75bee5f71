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

/** An action that operators are allowed. */
interface Permission {
  readonly on: readonly Kind[];
  /** The service's own condition keys (Service Authorization Reference), of which none is used. */
  readonly keys: readonly string[];
}

const [attributes, leadingKeys, consumed, returned, select, enclosing] = [
  ...['Attributes', 'LeadingKeys', 'ReturnConsumedCapacity', 'ReturnValues', 'Select'],
  'EnclosingOperation',
].map((key) => `dynamodb:${key}`) as [string, string, string, string, string, string];
const ofWrite = [attributes, enclosing, leadingKeys, consumed, returned];
const event = ['events:detail-type', 'events:source', 'events:eventBusInvocation'];

/** The policy: every permission with what it is on. */
export const permissions: Readonly<Record<string, Permission>> = {
  'cloudformation:DescribeStacks': { on: ['stack'], keys: [] },
  'dynamodb:GetItem': {
    on: ['table'],
    keys: [attributes, enclosing, leadingKeys, consumed, select],
  },
  'dynamodb:Query': {
    on: ['table'],
    keys: [attributes, leadingKeys, consumed, returned, select],
  },
  'dynamodb:Scan': { on: ['table'], keys: [attributes, consumed, returned, select] },
  'dynamodb:PutItem': { on: ['table'], keys: ofWrite },
  'dynamodb:UpdateItem': { on: ['table'], keys: ofWrite },
  'sqs:SendMessage': { on: ['queues'], keys: [] },
  'sqs:ReceiveMessage': { on: ['messages', 'positions'], keys: [] },
  'sqs:DeleteMessage': { on: ['messages'], keys: [] },
  'sqs:StartMessageMoveTask': { on: ['messages'], keys: [] },
  'sqs:ListMessageMoveTasks': { on: ['messages'], keys: [] },
  'sqs:PurgeQueue': { on: ['positions'], keys: [] },
  'sqs:GetQueueAttributes': { on: ['queues', 'messages', 'positions'], keys: [] },
  'events:PutEvents': { on: ['bus'], keys: event },
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
        ([action, { on }]) =>
          new PolicyStatement({ actions: [action], resources: on.flatMap((kind) => arns[kind]) }),
      ),
    });
    const stack = printedArnIn(Stack.of(this), 'cloudformation', `stack/${stackName}/*`);
    Validations.of(this.policy).acknowledge({
      id: wildcardFinding(stack),
      reason: 'It is the one stack of this name: its id is known only when it exists.',
    });
    this.role = new Role(this, 'Role', {
      description: 'Operators of workforce payments',
      // Who of the account may assume it is for the account's own policies to say.
      assumedBy: new AccountRootPrincipal(),
      managedPolicies: [this.policy],
    });
  }
}
