import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** A rule on the bus of a stage, and the function that gets its events. */
export class ConsumerStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const notices = new Queue(this, 'Notices', { enforceSSL: true });
    const processedEvents = new Table(this, 'ProcessedEvents', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiration',
      billingMode: BillingMode.PAY_PER_REQUEST,
    });
    const notifyWorker = new NodejsFunction(this, 'NotifyWorker', {
      entry: join(import.meta.dirname, 'notify-worker.ts'),
      runtime: Runtime.NODEJS_24_X,
      bundling: { format: OutputFormat.ESM, mainFields: ['module', 'main'] },
      environment: {
        NOTICES_URL: notices.queueUrl,
        PROCESSED_EVENTS: processedEvents.tableName,
      },
    });
    notices.grantSendMessages(notifyWorker);
    processedEvents.grantReadWriteData(notifyWorker);
    new Rule(this, 'Approvals', {
      eventBus: EventBus.fromEventBusName(this, 'Bus', 'WorkforcePayments-prod'),
      eventPattern: {
        source: ['workforce-payments'],
        detailType: ['payment_request.approved'],
        // Not those of test workspaces, which are on the same bus.
        detail: { livemode: [true] },
      },
      targets: [
        new LambdaFunction(notifyWorker, {
          deadLetterQueue: new Queue(this, 'DeadLetters', { enforceSSL: true }),
        }),
      ],
    });
  }
}
