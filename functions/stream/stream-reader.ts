import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { count, measured } from '../telemetry/metrics.ts';

/** An item as the stream carries it, with its sequence number and the kind of its change. */
export interface StreamedItem {
  readonly id: string;
  readonly change: DynamoDBRecord['eventName'];
  readonly item: ReturnType<typeof unmarshall>;
}

/**
 * The Lambda handler of a stream of the table. What fails comes again, with all that follows it.
 *
 * @param read passes the items on; returns the sequence numbers of those to try again
 */
export const streamReader = (read: (items: readonly StreamedItem[]) => Promise<string[]>) =>
  measured(async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const items = Records.map(({ eventName, dynamodb }) => ({
      id: dynamodb?.SequenceNumber ?? '',
      change: eventName,
      item: unmarshall(dynamodb?.NewImage as Parameters<typeof unmarshall>[0]),
    }));
    const failed = await read(items);
    for (const _ of failed) count('MessageFailed');
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  });
