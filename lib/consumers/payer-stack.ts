import { join } from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/**
 * A rule on the bus of a stage, a queue of the events that it matches, and the function that pays.
 *
 * The queue is between them, because a rule invokes a function asynchronously: Lambda discards an
 * event that the function has failed three times, and the rule's dead-letter queue does not get it
 * (AWS Lambda Developer Guide, "How Lambda handles errors and retries with asynchronous
 * invocation").
 */
export class PayerStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id, { terminationProtection: true });
    const retentionPeriod = Duration.days(14);
    const deadLetters = new Queue(this, 'DeadLetters', { enforceSSL: true, retentionPeriod });
    const approvals = new Queue(this, 'Approvals', {
      enforceSSL: true,
      retentionPeriod,
      // Their product is 16 hours, for which the payment provider may be down.
      visibilityTimeout: Duration.minutes(5),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 200 },
    });
    const paidRequests = new Table(this, 'PaidRequests', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiration',
      billingMode: BillingMode.PAY_PER_REQUEST,
      // Without it, each payment would be made again.
      deletionProtection: true,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    });
    const payer = new NodejsFunction(this, 'Payer', {
      entry: join(import.meta.dirname, 'payer.ts'),
      runtime: Runtime.NODEJS_24_X,
      timeout: Duration.seconds(30),
      bundling: { format: OutputFormat.ESM, mainFields: ['module', 'main'] },
      environment: {
        DEAD_LETTERS_URL: deadLetters.queueUrl,
        PAID_REQUESTS: paidRequests.tableName,
        PAYMENTS_URL: 'https://payments.example.com/payments',
      },
    });
    deadLetters.grantSendMessages(payer);
    paidRequests.grantReadWriteData(payer);
    // A replay, or the end of a long outage, must not use up the account's concurrency.
    payer.addEventSource(
      new SqsEventSource(approvals, { reportBatchItemFailures: true, maxConcurrency: 10 }),
    );
    new Rule(this, 'Rule', {
      eventBus: EventBus.fromEventBusName(this, 'Bus', 'WorkforcePayments-prod'),
      eventPattern: {
        source: ['workforce-payments'],
        detailType: ['payment_request.approved'],
        // All accounts of the stage and their test workspaces are on the same bus.
        detail: { livemode: [true], workspace: ['wsp_1'] },
      },
      targets: [new SqsQueue(approvals, { deadLetterQueue: deadLetters })],
    });
    const topic = new Topic(this, 'Alarms');
    topic.addSubscription(new EmailSubscription('payments@example.com'));
    const letters = deadLetters.metricApproximateNumberOfMessagesVisible();
    const alarms = [
      // Each new letter, whatever lies here already.
      new MathExpression({
        expression: 'DIFF(letters)',
        usingMetrics: { letters },
      }).createAlarm(this, 'Unpaid', { threshold: 1, evaluationPeriods: 1 }),
      // The provider is down, or nothing reads the queue. SQS leaves a message that was received
      // three times out of the age (Amazon SQS Developer Guide, "Available CloudWatch metrics").
      approvals
        .metricApproximateAgeOfOldestMessage()
        .createAlarm(this, 'Late', { threshold: 8 * 60, evaluationPeriods: 1 }),
    ];
    for (const alarm of alarms) alarm.addAlarmAction(new SnsAction(topic));
  }
}
