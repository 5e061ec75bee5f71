import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

/** A message is given up after this many receives. */
const maximumReceives = 5;

/** A queue, the function that consumes it, and the dead-letter queue for what it cannot consume. */
export class QueueConsumer extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...common,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      // Six times the function's timeout, as the AWS Lambda Developer Guide advises for SQS: a
      // message must not come again while a throttled function still tries to take it.
      visibilityTimeout: Duration.seconds(6 * props.timeout.toSeconds()),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: maximumReceives },
    });
    this.function = new ServiceFunction(this, 'Function', props);
    this.function.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 10, reportBatchItemFailures: true }),
    );
    new Alarm(this, 'DeadLettersAlarm', {
      alarmDescription: `${props.name} has given up a message`,
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible(),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
