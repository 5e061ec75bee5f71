import { Stack, Validations } from 'aws-cdk-lib';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountRootPrincipal, ManagedPolicy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ConfigurationSet } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import type { QueueConsumer } from './queue-consumer.ts';
import { printedArnIn, wildcardFinding } from './service-function.ts';
import type { StreamReader } from './stream-reader.ts';

/** What the command line works on: dead letters are messages, or positions of the stream. */
type Kind = 'stack' | 'table' | 'queues' | 'messages' | 'positions' | 'bus';

/** The actions of the command line and of dead letters, each with what it is on. */
const permissions: Readonly<Record<string, readonly Kind[]>> = {
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

/**
 * What the rest of the runbook works on. `records` are the dead letters of the import, of which the
 * sender has another copy; `all` is for reads without a resource type in the Service Authorization
 * Reference, and for lists of alarms, which another scope would leave incomplete.
 */
type RunbookKind =
  | 'logGroups'
  | 'mappings'
  | 'configurationSet'
  | 'dashboard'
  | 'table'
  | 'throttledKeys'
  | 'records'
  | 'all';

/** The other actions of the runbook, in a policy of their own: one holds 6,144 characters. */
const runbookPermissions: Readonly<Record<string, readonly RunbookKind[]>> = {
  'logs:StartQuery': ['logGroups'],
  'logs:GetQueryResults': ['all'],
  'logs:DescribeQueryDefinitions': ['all'],
  'lambda:GetEventSourceMapping': ['mappings'],
  'lambda:UpdateEventSourceMapping': ['mappings'],
  'ses:GetAccount': ['all'],
  'ses:PutConfigurationSetSendingOptions': ['configurationSet'],
  'cloudwatch:ListDashboards': ['all'],
  'cloudwatch:GetDashboard': ['dashboard'],
  'cloudwatch:GetMetricData': ['all'],
  'cloudwatch:DescribeAlarms': ['all'],
  'cloudwatch:DescribeAlarmHistory': ['all'],
  'cloudwatch:GetInsightRuleReport': ['throttledKeys'],
  'dynamodb:DescribeContributorInsights': ['table'],
  'sqs:PurgeQueue': ['records'],
};

export interface OperatorAccessProps {
  /** The ARNs of those who may assume the role; all that the account allows to, unless given. */
  readonly operators: readonly string[] | undefined;
  readonly table: Table;
  readonly bus: EventBus;
  readonly consumers: Readonly<Record<'Import', QueueConsumer>>;
  readonly readers: Readonly<Record<string, StreamReader>>;
  readonly logGroups: readonly ILogGroup[];
  readonly configurationSet: ConfigurationSet;
  readonly dashboard: Dashboard;
}

/** What the command line and the runbook need, and a role with it that operators assume. */
export class OperatorAccess extends Construct {
  readonly role: Role;
  readonly policies: Readonly<Record<'commands' | 'runbook', ManagedPolicy>>;

  constructor(scope: Construct, id: string, props: OperatorAccessProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const consumers = Object.values(props.consumers);
    const readers = Object.values(props.readers);
    const positions = readers.map(({ deadLetters }) => deadLetters.queueArn);
    const resourceName = `${stack.stackName}/*`;
    // "CloudWatch contributor insights for DynamoDB: How it works" has the names of its rules.
    const throttledKeysOf = (table: string) => `DynamoDBContributorInsights-PKT-${table}-*`;
    this.policies = {
      commands: this.#policy('Policy', "What the operators' command line needs", permissions, {
        // Reports have both: that of the stack, and this one, whose id is a literal asterisk.
        stack: [stack.formatArn({ service: 'cloudformation', resource: 'stack', resourceName })],
        table: [props.table.tableArn],
        queues: consumers.map(({ queue }) => queue.queueArn),
        messages: consumers.map(({ deadLetters }) => deadLetters.queueArn),
        positions,
        bus: [props.bus.eventBusArn],
      }),
      runbook: this.#policy('RunbookPolicy', 'What the runbook needs besides', runbookPermissions, {
        logGroups: props.logGroups.map(({ logGroupArn }) => logGroupArn),
        mappings: [...consumers, ...readers].map(({ mapping }) => mapping.eventSourceMappingArn),
        configurationSet: [
          stack.formatArn({
            service: 'ses',
            resource: 'configuration-set',
            resourceName: props.configurationSet.configurationSetName,
          }),
        ],
        dashboard: [props.dashboard.dashboardArn],
        table: [props.table.tableArn],
        throttledKeys: [
          stack.formatArn({
            service: 'cloudwatch',
            resource: 'insight-rule',
            resourceName: throttledKeysOf(props.table.tableName),
          }),
        ],
        records: [props.consumers.Import.deadLetters.queueArn],
        all: ['*'],
      }),
    };
    Validations.of(this.policies.commands).acknowledge({
      id: wildcardFinding(printedArnIn(stack, 'cloudformation', `stack/${resourceName}`)),
      reason: 'It is the one stack of this name: its id is known only when it exists.',
    });
    const throttledKeys = throttledKeysOf(`<${stack.resolve(props.table.tableName).Ref}>`);
    Validations.of(this.policies.runbook).acknowledge(
      {
        id: wildcardFinding('*'),
        reason:
          'These reads have no resource type in the Service Authorization Reference, or list alarms.',
      },
      {
        id: wildcardFinding(printedArnIn(stack, 'cloudwatch', `insight-rule/${throttledKeys}`)),
        reason: 'It is the one rule of this table: its name ends in the time at which it was made.',
      },
    );
    // The account's own policies let more assume it: AWS's PowerUserAccess, every role. Of a
    // session the condition's key is the ARN of its role, with the path (IAM User Guide, "AWS
    // global condition context keys").
    const root = new AccountRootPrincipal();
    this.role = new Role(this, 'Role', {
      description: 'Operators of workforce payments',
      assumedBy: props.operators
        ? root.withConditions({ ArnLike: { 'aws:PrincipalArn': props.operators } })
        : root,
      managedPolicies: Object.values(this.policies),
    });
  }

  #policy<K extends string>(
    id: string,
    description: string,
    actions: Readonly<Record<string, readonly K[]>>,
    arns: Readonly<Record<K, readonly string[]>>,
  ): ManagedPolicy {
    return new ManagedPolicy(this, id, {
      description,
      statements: Object.entries(actions).map(
        ([action, kinds]) =>
          new PolicyStatement({
            actions: [action],
            resources: kinds.flatMap((kind) => arns[kind]),
          }),
      ),
    });
  }
}
