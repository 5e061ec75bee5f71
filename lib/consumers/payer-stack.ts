import { join } from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
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
    super(scope, id);
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
    payer.addEventSource(new SqsEventSource(approvals, { reportBatchItemFailures: true }));
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
    deadLetters
      .metricApproximateNumberOfMessagesVisible()
      .createAlarm(this, 'Unpaid', { threshold: 1, evaluationPeriods: 1 })
      .addAlarmAction(new SnsAction(topic));
  }
}
