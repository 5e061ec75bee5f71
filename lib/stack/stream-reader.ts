import { Duration, Validations } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  MetricType,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ItemChange } from '../../functions/domain/events.ts';
import { type Alarms, period } from './alarms.ts';
import { DeadLetterQueue } from './queue-consumer.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

export interface StreamReaderProps extends ServiceFunctionProps {
  readonly alarms: Alarms;
  /** The start of the names of its alarms. */
  readonly alarmPrefix: string;
  /** Who suffers while records are not read: the end of the alarms' sentences. */
  readonly impact: string;
  readonly table: Table;
  /** What changes leave: the function is called for it, whether it is new or changed. */
  readonly changes: readonly Omit<ItemChange, 'change'>[];
  /** The queues to which the function sends, besides its dead letters. */
  readonly queues?: readonly Queue[];
}

/** A function that reads the table's stream, its dead-letter queue, and their alarms. */
export class StreamReader extends Construct {
  readonly function: ServiceFunction;
  readonly mapping: EventSourceMapping;
  /** Positions in the stream of the records that Lambda has discarded. */
  readonly deadLetters: DeadLetterQueue;

  constructor(
    scope: Construct,
    id: string,
    { alarms, alarmPrefix, impact, table, changes, queues = [], ...props }: StreamReaderProps,
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
      target: this.function,
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
      filters: filtersOf(changes),
    });
    this.mapping.node.addDependency(this.function.role ?? this);
    alarms.add(`${alarmPrefix}Lag`, {
      means: `${props.name} reads the table's stream more than five minutes late: ${impact}.`,
      metric: this.function.metric('IteratorAge', { period, statistic: Stats.MAXIMUM }),
      threshold: Duration.minutes(5).toMilliseconds(),
    });
    alarms.add(`${alarmPrefix}Stopped`, {
      means: `${props.name} has not read the table's stream for 15 minutes: ${impact}.`,
      ...stopped(this.mapping),
    });
    const means = `Records of the table's stream have become dead letters of ${props.name}: ${impact}.`;
    this.deadLetters.addAlarm(alarms, `${alarmPrefix}DeadLetters`, means);
  }
}

/**
 * A filter for all items that are found by the same attributes. It also finds one that combines
 * the type of one with the status of another, such as a sandbox that is queued, which there is not.
 * The function looks whether an item is new: a mapping of DynamoDB filters on the key `dynamodb`
 * only (Lambda Developer Guide, "Using event filtering with a DynamoDB event source").
 */
const filtersOf = (changes: StreamReaderProps['changes']) => {
  const groups = Map.groupBy(changes, ({ status, part }) => `${!status} ${part}`);
  if (groups.size > 5) throw new Error('The mapping of a stream has five filters at most.');
  return Array.from(groups.values(), (group) => {
    const valuesOf = (name: 'item' | 'status' | 'part') => [
      ...new Set(group.map((each) => each[name])),
    ];
    const [status, [part]] = [valuesOf('status'), valuesOf('part')];
    const NewImage = {
      type: { S: valuesOf('item') },
      ...(status[0] && { status: { S: status } }),
      // Only leaves are matched (Lambda Developer Guide, "Event filtering").
      ...(part && { [part]: { M: { id: { S: FilterRule.exists() } } } }),
    };
    return FilterCriteria.filter({ dynamodb: { NewImage } });
  });
};

/**
 * Lambda emits IteratorAge after a batch alone, so a reader that does not run has none. It records
 * a PolledEventCount for each poll, 0 when there was nothing: the number of its samples is the
 * number of polls (Lambda Developer Guide, "Types of metrics for Lambda functions"). A mapping that
 * is disabled or may not read does not poll. A throttled invocation counts as one there, and the
 * alarm ThrottledConsumers reports it.
 */
const stopped = ({ eventSourceMappingId }: EventSourceMapping) => {
  const metric = (metricName: string, statistic: string = Stats.SUM) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { EventSourceMappingUUID: eventSourceMappingId },
      statistic,
      period,
    });
  return {
    metric: new MathExpression({
      expression:
        'IF(FILL(polls, 0) == 0 OR (FILL(polled, 0) > FILL(filtered, 0) AND FILL(invoked, 0) == 0), 1, 0)',
      period,
      usingMetrics: {
        polls: metric('PolledEventCount', Stats.SAMPLE_COUNT),
        polled: metric('PolledEventCount'),
        filtered: metric('FilteredOutEventCount'),
        invoked: metric('InvokedEventCount'),
      },
    }),
    threshold: 0,
    periods: 3,
    // CloudWatch may evaluate no expression at all where none of its metrics has data.
    treatMissingData: TreatMissingData.BREACHING,
  };
};
