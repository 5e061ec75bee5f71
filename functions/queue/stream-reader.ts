import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { count, measured } from '../telemetry/metrics.ts';

/**
 * The Lambda handler of a stream of the table. What fails comes again, with all that follows it.
 *
 * @param read passes the records on; returns the sequence numbers of those to try again
 */
export const streamReader = (read: (records: readonly DynamoDBRecord[]) => Promise<string[]>) =>
  measured(async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const failed = await read(Records);
    for (const _ of failed) count('MessageFailed');
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  });
