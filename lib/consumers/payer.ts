import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, EventBridgeEvent, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { PaymentRequestEndedEvent, PaymentRequestEvent } from 'workforce-payments-client';

type PaymentEvent = PaymentRequestEvent | PaymentRequestEndedEvent;
type PaymentRequest = PaymentEvent['data']['payment_request'];
type Ended = PaymentRequestEndedEvent['data']['payment_request']['status'];

const sqs = new SQSClient();

/** Those that are paid here: all workspaces are on the same bus. */
const workspaces = process.env.WORKSPACES?.split(',') ?? [];

class PaidRequests extends DynamoDBPersistenceLayer {
  /**
   * The record of a payment that has failed is in progress until its function ends at the latest. A
   * deletion whose response is lost is repeated, and would delete what an end has written since.
   */
  protected override async _deleteRecord() {}
}

/** By the payment request: each of its approvals has an event, and an event may come again. */
const once = {
  persistenceStore: new PaidRequests({ tableName: process.env.PAID_REQUESTS ?? '' }),
  // Without a prefix the records belong to the function's name, and its successor pays again.
  keyPrefix: 'payer',
  config: new IdempotencyConfig({
    eventKeyJmesPath: 'id',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: 10 * 365 * 86_400,
  }),
};

/**
 * Pays a payment request, or ends it unpaid: whatever comes first, and nothing after it.
 *
 * The provider recognises the key too, for a function that dies after the payment. Its context says
 * when that function has ended at the latest.
 *
 * @returns the status that has ended it, or nothing of one that is paid
 */
const settle = makeIdempotent(
  async (request: PaymentRequest, context: Context, ended?: Ended): Promise<Ended | undefined> => {
    if (ended) return ended;
    const { id, worker, amount, currency } = request;
    const response = await fetch(process.env.PAYMENTS_URL ?? '', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': id },
      body: JSON.stringify({ worker, amount, currency }),
      // A redirected POST becomes a GET, and the page of a login looks like a success.
      redirect: 'error',
      // What is left is for the record, and for the other messages.
      signal: AbortSignal.timeout(context.getRemainingTimeInMillis() - 10_000),
    });
    if (!response.ok) throw new Error(`The payment provider responded with ${response.status}.`);
    return undefined;
  },
  once,
);

/**
 * Pays what was open when it was approved, and was not ended since.
 *
 * @param wasTried whether a payment may have been tried, of which nothing is known
 * @returns what a person must decide about
 */
const consume = async (event: PaymentEvent, wasTried: boolean, context: Context) => {
  if (event.livemode !== true) return 'It is not live.';
  if (event.version !== 1) return `Its version is ${event.version}.`;
  if (!workspaces.includes(event.workspace)) return 'It is of another workspace.';
  if (event.type === 'payment_request.ended') {
    const { status } = event.data.payment_request;
    if (!['rejected', 'cancelled', 'paid'].includes(status)) return `Its end is ${status}.`;
    const isPaid = !(await settle(event.data.payment_request, context, status));
    return isPaid && status !== 'paid' ? `It was paid before it was ${status}.` : undefined;
  }
  if (event.type !== 'payment_request.approved') return 'It is neither an approval nor an end.';
  const { approval, payment_request } = event.data;
  switch (approval.previous_status) {
    case 'draft':
    case 'pending': {
      const ended = await settle(payment_request, context);
      return ended && wasTried ? `It was ${ended} after its payment was tried.` : undefined;
    }
    // Another event has paid it, or a person decides about it.
    case 'approved':
      return undefined;
    // There is one approval of an open request at most: one that is still to come is an older one.
    case 'rejected':
    case 'cancelled':
    case 'paid':
      await settle(payment_request, context, approval.previous_status);
      return `It was ${approval.previous_status} when it was approved.`;
    default:
      return `Its status was ${approval.previous_status} when it was approved.`;
  }
};

/** What a person must decide about becomes a dead letter. What fails alone comes again. */
export const handler = async (
  { Records }: SQSEvent,
  context: Context,
): Promise<SQSBatchResponse> => {
  const settleMessage = async (message: SQSRecord) => {
    const { messageId, body, attributes, messageAttributes } = message;
    try {
      const { detail }: EventBridgeEvent<string, PaymentEvent> = JSON.parse(body);
      // A letter that is redriven has its reason.
      const wasTried =
        Number(attributes.ApproximateReceiveCount) > 1 || 'reason' in messageAttributes;
      const StringValue = await consume(detail, wasTried, context);
      const MessageAttributes = { reason: { DataType: 'String', StringValue } };
      const QueueUrl = process.env.DEAD_LETTERS_URL;
      if (StringValue)
        await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body, MessageAttributes }));
      return [];
    } catch (error) {
      console.error(messageId, error);
      return [{ itemIdentifier: messageId }];
    }
  };
  return { batchItemFailures: (await Promise.all(Records.map(settleMessage))).flat() };
};
