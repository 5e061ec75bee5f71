import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, EventBridgeEvent, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { PaymentRequestEvent } from 'workforce-payments-client';

type Approved = EventBridgeEvent<'payment_request.approved', PaymentRequestEvent>;
type PaymentRequest = PaymentRequestEvent['data']['payment_request'];

const sqs = new SQSClient();

/** By the payment request: each of its approvals has an event, and an event may come again. */
const once = {
  persistenceStore: new DynamoDBPersistenceLayer({ tableName: process.env.PAID_REQUESTS ?? '' }),
  // Without a prefix the records belong to the function's name, and its successor pays again.
  keyPrefix: 'payer',
  config: new IdempotencyConfig({
    eventKeyJmesPath: 'id',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: 10 * 365 * 86_400,
  }),
};

/**
 * The provider recognises the key too, for a function that dies after the payment. Its context says
 * when that function has ended at the latest.
 */
const pay = makeIdempotent(async ({ id, worker, amount, currency }: PaymentRequest, _: Context) => {
  const response = await fetch(process.env.PAYMENTS_URL ?? '', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': id },
    body: JSON.stringify({ worker, amount, currency }),
    // A redirected POST becomes a GET, and the page of a login looks like a success.
    redirect: 'error',
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`The payment provider responded with ${response.status}.`);
}, once);

/** Makes a message a dead letter at once, for a person to decide about. */
const refuse = (body: string, reason: string) =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl: process.env.DEAD_LETTERS_URL,
      MessageBody: body,
      MessageAttributes: { reason: { DataType: 'String', StringValue: reason } },
    }),
  );

/** Before Powertools' record is begun, or a refused event would use up the id. */
const decide = async (body: string, context: Context) => {
  const { detail }: Approved = JSON.parse(body);
  const { approval, payment_request } = detail.data;
  switch (approval.previous_status) {
    // Approved by an earlier release.
    case undefined:
    case 'draft':
    case 'pending':
      return pay(payment_request, context);
    // Another event has paid it, or a person decides about it.
    case 'approved':
      return;
    default:
      await refuse(body, `It was ${approval.previous_status} when it was approved.`);
  }
};

/** Pays each payment request once. A message that fails comes again, without the others. */
export const handler = async (
  { Records }: SQSEvent,
  context: Context,
): Promise<SQSBatchResponse> => {
  const consume = async ({ messageId, body }: SQSRecord) => {
    try {
      await decide(body, context);
      return [];
    } catch (error) {
      console.error(messageId, error);
      return [{ itemIdentifier: messageId }];
    }
  };
  return { batchItemFailures: (await Promise.all(Records.map(consume))).flat() };
};
