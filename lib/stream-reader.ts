import { Duration, Validations } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import {
  EventSourceMapping,
  FilterCriteria,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ItemChange } from './item-changes.ts';
import { DeadLetterQueue } from './queue-consumer.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

/** A function, and what it reads of which table's stream. */
export interface StreamReaderProps extends ServiceFunctionProps {
  readonly table: Table;
  /** The changes of items that the function is called for. */
  readonly changes: readonly ItemChange[];
  /** The queues to which the function sends, besides its dead letters. */
  readonly queues?: readonly Queue[];
}

/** A function that reads the table's stream, and its dead-letter queue. */
export class StreamReader extends Construct {
  readonly function: ServiceFunction;
  readonly mapping: EventSourceMapping;
  /** Positions in the stream of the records that Lambda has discarded. */
  readonly deadLetters: Queue;

  constructor(
    scope: Construct,
    id: string,
    { table, changes, queues = [], ...props }: StreamReaderProps,
  ) {
    super(scope, id);
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters');
    Validations.of(this.deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is the dead-letter queue of a stream; the rule recognises only those of queues.',
    });
    this.function = new ServiceFunction(this, 'Function', props);
    this.function.allow(
      ['sqs:SendMessage'],
      [...queues, this.deadLetters].map(({ queueArn }) => queueArn),
    );
    const streamArn = String(table.tableStreamArn);
    this.function.allow(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      streamArn,
    );
    // The Amazon DynamoDB Developer Guide names the streams of the table here; the Service
    // Authorization Reference has no resource type for this action. With `*` either is right. The
    // list holds only ARNs.
    this.function.allow(['dynamodb:ListStreams'], '*');
    this.mapping = new EventSourceMapping(this, 'Records', {
      target: this.function.live,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
      // The stream drops a record silently after 24 hours. Lambda discards it before that and
      // reports its position; until then it retries, because what the function sends to may be down
      // for hours.
      maxRecordAge: Duration.hours(23),
      onFailure: { bind: () => ({ destination: this.deadLetters.queueArn }) },
      // A filtered item costs nothing, and most items are filtered.
      filters: changes.map(({ change, types, statuses }) =>
        FilterCriteria.filter({
          eventName: [change],
          dynamodb: {
            NewImage: { type: { S: types }, ...(statuses && { status: { S: statuses } }) },
          },
        }),
      ),
    });
    this.mapping.node.addDependency(this.function.role ?? this);
  }
}
