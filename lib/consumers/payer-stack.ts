import { join } from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Effect, PolicyStatement, StarPrincipal } from 'aws-cdk-lib/aws-iam';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { alarmsOf, droppedEvents, newLetters } from './alarms.ts';

/** All accounts of the stage and their test workspaces are on the same bus. */
const workspaces = ['wsp_1', 'wsp_2'];

/** Who redrives letters: nobody else may put a message into these queues. */
const redrivers = ['arn:aws:iam::123456789012:role/payments-redrive'];

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
      // By default any queue of the account may name this one as its dead-letter queue, and SQS may
      // move anybody's messages into it (Amazon SQS API Reference, SetQueueAttributes).
      redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL },
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
      // 146 MB after 600 events. Lambda ends what exceeds it, in the middle of a payment.
      memorySize: 512,
      bundling: { format: OutputFormat.ESM, mainFields: ['module', 'main'] },
      environment: {
        DEAD_LETTERS_URL: deadLetters.queueUrl,
        PAID_REQUESTS: paidRequests.tableName,
        PAYMENTS_URL: 'https://payments.example.com/payments',
        WORKSPACES: workspaces.join(),
      },
    });
    deadLetters.grantSendMessages(payer);
    // Nobody deletes a record: its payment would be made again.
    paidRequests.grant(payer, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    // A replay, or the end of a long outage, must not use up the account's concurrency.
    payer.addEventSource(
      new SqsEventSource(approvals, { reportBatchItemFailures: true, maxConcurrency: 10 }),
    );
    const eventBus = EventBus.fromEventBusName(this, 'Bus', 'WorkforcePayments-prod');
    const rule = new Rule(this, 'Rule', {
      eventBus,
      eventPattern: {
        source: ['workforce-payments'],
        detailType: ['payment_request.approved', 'payment_request.ended'],
        detail: { livemode: [true], workspace: workspaces },
      },
      targets: [new SqsQueue(approvals, { deadLetterQueue: deadLetters })],
    });
    for (const queue of [approvals, deadLetters]) {
      allowOnlySenders(queue, [payer.role?.roleArn ?? '', ...redrivers]);
    }
    const addAlarm = alarmsOf(this);
    const whatToDo = 'lib/EVENTS.md#letters-of-the-payer';
    addAlarm('Unpaid', {
      ...newLetters(deadLetters),
      alarmDescription: `A message is a dead letter of the payer: a person must decide about its payment. ${whatToDo}`,
    });
    addAlarm('Undelivered', {
      ...droppedEvents(eventBus, rule),
      alarmDescription:
        'Both queues have refused an event, and EventBridge has dropped it: correct their policies, and replay it. lib/EVENTS.md#replay',
    });
    addAlarm('Late', {
      // SQS leaves a message that was received three times out of the age (Amazon SQS Developer
      // Guide, "Available CloudWatch metrics for Amazon SQS").
      metric: approvals.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5) }),
      threshold: 8 * 60,
      evaluationPeriods: 1,
      alarmDescription: `A payment is late: the provider is down, or nothing reads the queue. Of a message that fails for hours this rings once. ${whatToDo}`,
    });
  }
}

/**
 * Denies all others to send messages, which may move money, and to redrive letters. EventBridge has
 * no role here.
 */
const allowOnlySenders = (queue: Queue, arns: readonly string[]) =>
  queue.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      principals: [new StarPrincipal()],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: {
        ArnNotEquals: { 'aws:PrincipalArn': arns },
        Bool: { 'aws:PrincipalIsAWSService': 'false' },
      },
    }),
  );
