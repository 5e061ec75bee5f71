import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { maximumReceives } from '../../functions/domain/outbox.ts';
import { type Alarms, period } from './alarms.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

export interface QueueConsumerProps extends ServiceFunctionProps {
  readonly alarms: Alarms;
  /** Who suffers while a message is not consumed: the end of the alarms' sentences. */
  readonly impact: string;
  /** How many batches are under way at once; without it, as many as Lambda scales to. */
  readonly maximumConcurrency?: number | undefined;
  /** How many messages a batch has, 10 unless given. */
  readonly batchSize?: number | undefined;
  /** How often a message comes before it is a dead letter, 20 times unless given. */
  readonly maxReceiveCount?: number | undefined;
}

/**
 * A queue, the function that consumes it, the dead-letter queue for what it cannot consume, and the
 * alarms of both queues.
 */
export class QueueConsumer extends Construct {
  readonly queue: Queue;
  readonly deadLetters: DeadLetterQueue;
  readonly function: ServiceFunction;
  readonly mapping: EventSourceMapping;

  constructor(scope: Construct, id: string, given: QueueConsumerProps) {
    super(scope, id);
    const {
      alarms,
      impact,
      maximumConcurrency,
      batchSize = 10,
      maxReceiveCount = maximumReceives,
      ...props
    } = given;
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters');
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function's timeout, as the AWS Lambda Developer Guide advises for SQS: a
      // message must not come again while a throttled function still tries to take it.
      visibilityTimeout: Duration.seconds(6 * props.timeout.toSeconds()),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: {
        queue: this.deadLetters,
        maxReceiveCount,
      },
    });
    this.function = new ServiceFunction(this, 'Function', props);
    this.function.addEnvironment('DEAD_LETTERS_URL', this.deadLetters.queueUrl);
    this.function.allow(['sqs:SendMessage'], this.deadLetters.queueArn);
    this.function.allow(
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      this.queue.queueArn,
    );
    // Not the CDK's event source, which allows more than Lambda needs ("Using Lambda with Amazon
    // SQS").
    this.mapping = new EventSourceMapping(this, 'Messages', {
      target: this.function,
      eventSourceArn: this.queue.queueArn,
      batchSize,
      reportBatchItemFailures: true,
      ...(maximumConcurrency && { maxConcurrency: maximumConcurrency }),
    });
    this.mapping.node.addDependency(this.function.role ?? this);
    alarms.add(`${id}OldestMessage`, {
      means: `A message has waited for ${props.name} for more than 15 minutes: ${impact}.`,
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period }),
      threshold: Duration.minutes(15).toSeconds(),
    });
    const means = `A message has become a dead letter of ${props.name}: ${impact}.`;
    this.deadLetters.addAlarm(alarms, `${id}DeadLetters`, means);
  }
}

/** Keeps rejected messages for 14 days, for an operator to inspect. */
export class DeadLetterQueue extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
  }

  /**
   * How many letters lie here, also those that somebody has just received. SQS reports every minute
   * what is in flight if anything is, and what is visible if the queue is active (Amazon SQS
   * Developer Guide, "Available CloudWatch metrics for Amazon SQS").
   *
   * @param id of the metrics in their graph or alarm
   */
  count(id: string, label = id): MathExpression {
    const metric = { period: Duration.minutes(1), statistic: Stats.MAXIMUM };
    const [visible, hidden] = [`visible${id}`, `hidden${id}`];
    return new MathExpression({
      expression: `FILL(FILL(${visible}, REPEAT), 0) + FILL(${hidden}, 0)`,
      label,
      period: metric.period,
      usingMetrics: {
        [visible]: this.metricApproximateNumberOfMessagesVisible(metric),
        [hidden]: this.metricApproximateNumberOfMessagesNotVisible(metric),
      },
    });
  }

  /**
   * Adds an alarm for each new letter, whatever lies here already. `FILL` also fills the last
   * minutes, whose data SQS reports later, so the alarm looks at a quarter of an hour. The alarm
   * ends when no letter is new, also if the letters are still here.
   */
  addAlarm(alarms: Alarms, name: string, means: string): void {
    const { expression, period, usingMetrics } = this.count('');
    alarms.add(name, {
      means,
      metric: new MathExpression({ expression: `DIFF(${expression})`, period, usingMetrics }),
      threshold: 0,
      periods: 15,
      datapointsToAlarm: 1,
      endsSilently: true,
    });
  }
}
