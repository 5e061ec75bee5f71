import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context, EventBridgeEvent } from 'aws-lambda';
import type { PaymentRequestEvent } from 'workforce-payments-client';

type Approved = EventBridgeEvent<'payment_request.approved', PaymentRequestEvent>;

/** By the payment request: each of its approvals has an event, and an event may come again. */
const once = {
  persistenceStore: new DynamoDBPersistenceLayer({ tableName: process.env.PAID_REQUESTS ?? '' }),
  config: new IdempotencyConfig({
    eventKeyJmesPath: 'detail.data.payment_request.id',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: 10 * 365 * 86_400,
  }),
};

/** The provider recognises the key too, for a function that dies after the payment. */
const pay = makeIdempotent(async ({ detail }: Approved, _: Context) => {
  const { id, worker, amount, currency } = detail.data.payment_request;
  const response = await fetch(process.env.PAYMENTS_URL ?? '', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': id },
    body: JSON.stringify({ worker, amount, currency }),
  });
  if (!response.ok) throw new Error(`The payment provider responded with ${response.status}.`);
}, once);

/** Pays a payment request of a live workspace, once. */
export const handler = async (event: Approved, context: Context): Promise<void> => {
  if (event.detail.livemode) await pay(event, context);
};
