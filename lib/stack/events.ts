import { CfnResource, Duration, Stack } from 'aws-cdk-lib';
import { type Archive, type CfnArchive, EventBus } from 'aws-cdk-lib/aws-events';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { eventChanges, eventSource, refusalType } from '../../functions/domain/events.ts';
import type { ServiceFunction, ServiceFunctionProps } from './service-function.ts';
import { StreamReader, type StreamReaderProps } from './stream-reader.ts';

export type EventsProps = Pick<StreamReaderProps, 'alarms' | 'table'> &
  Omit<ServiceFunctionProps, 'name' | 'environment'>;

/** The stage's bus, the function that publishes committed changes, and the archive of events. */
export class Events extends Construct {
  readonly bus: EventBus;
  readonly archive: Archive;
  readonly publisher: StreamReader;

  constructor(scope: Construct, id: string, { table, ...props }: EventsProps) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: `WorkforcePayments-${props.settings.stage}`,
      description: `Events of workforce payments (${props.settings.stage})`,
    });
    this.archive = this.bus.archive('Archive', {
      description: 'Events of the last 30 days, for replays',
      // Events hold personal data: they are kept as long as responses to retries are, and no
      // longer.
      retention: Duration.days(30),
      // All that this account puts on the bus.
      eventPattern: { account: [Stack.of(this).account] },
    });
    // The CDK's is an empty text, which some regions refuse (aws/aws-cdk#37847).
    (this.archive.node.defaultChild as CfnArchive).kmsKeyIdentifier = undefined;
    // A reader of its own, beside the outbox: neither holds the other back. DynamoDB Streams serves
    // two readers of a shard (Amazon DynamoDB Developer Guide, "Reading and processing a stream").
    this.publisher = new StreamReader(this, 'Publisher', {
      ...props,
      name: 'publish-events',
      alarmPrefix: id,
      impact: 'events do not reach their consumers',
      environment: { TABLE_NAME: table.tableName, EVENT_BUS: this.bus.eventBusName },
      table,
      changes: eventChanges,
    });
    this.publisher.function.addEnvironment('DEAD_LETTERS_URL', this.publisher.deadLetters.queueUrl);
    this.publisher.function.allow(['dynamodb:GetItem'], table.tableArn);
    this.publisher.function.allow(['events:PutEvents'], this.bus.eventBusArn);
  }

  /**
   * Lets a function publish that it has refused what others sent, and nothing that moves money
   * (Service Authorization Reference, "Actions, resources, and condition keys for Amazon
   * EventBridge"; awslabs/serverless-rules#14).
   */
  allowRefusals(importer: ServiceFunction): void {
    importer.addEnvironment('EVENT_BUS', this.bus.eventBusName);
    importer.allow(['events:PutEvents'], this.bus.eventBusArn, {
      StringEquals: { 'events:detail-type': refusalType, 'events:source': eventSource },
    });
  }

  /**
   * Allows only the publisher and these roles to put events, whatever the account allows except to
   * assume one of them: an event may move money. Of a role's session `aws:PrincipalArn` is the
   * role. A negated condition holds of a request without the key, and AWS's services have no role
   * here when they replay the archive, so they are left out of it (IAM User Guide, "AWS global
   * condition context keys").
   */
  denyOthers(...roles: readonly (IRole | undefined)[]): void {
    const publisher = this.publisher.function.role;
    // The CDK's own class warns at each synthesis of a property that is deprecated, also if unset.
    new CfnResource(this, 'BusPolicy', {
      type: 'AWS::Events::EventBusPolicy',
      properties: {
        EventBusName: this.bus.eventBusName,
        Statement: {
          Effect: 'Deny',
          Principal: '*',
          Action: 'events:PutEvents',
          Resource: this.bus.eventBusArn,
          Condition: {
            ArnNotEquals: {
              'aws:PrincipalArn': [publisher, ...roles].map((role) => role?.roleArn),
            },
            Bool: { 'aws:PrincipalIsAWSService': 'false' },
          },
        },
        StatementId: 'OnlyPublishers',
      },
    });
  }
}
