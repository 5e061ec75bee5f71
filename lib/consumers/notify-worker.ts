import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { EventBridgeEvent } from 'aws-lambda';
import type { PaymentRequestEvent } from 'workforce-payments-client';

const sqs = new SQSClient();
const persistenceStore = new DynamoDBPersistenceLayer({
  tableName: process.env.PROCESSED_EVENTS ?? '',
});
// The event's own id: that of EventBridge is another one each time. The archive reaches back 30
// days.
const config = new IdempotencyConfig({
  eventKeyJmesPath: 'detail.id',
  throwOnNoIdempotencyKey: true,
  expiresAfterSeconds: 31 * 86_400,
});

/**
 * Lets the worker know that a payment request was approved, and why; once, however often the event
 * comes.
 */
export const handler = makeIdempotent(
  async ({ detail }: EventBridgeEvent<'payment_request.approved', PaymentRequestEvent>) => {
    const { approval, payment_request } = detail.data;
    const { worker, amount, currency } = payment_request;
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: process.env.NOTICES_URL,
        MessageBody: JSON.stringify({ worker, amount, currency, reason: approval.reason }),
      }),
    );
  },
  { persistenceStore, config },
);
