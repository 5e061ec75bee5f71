import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { relay } from './queue/outbox.ts';
import { measured } from './telemetry/metrics.ts';

/**
 * Sends the message for each new item that needs one (domain/outbox.ts). The stream carries what
 * was committed, all of it and nothing else, so none is forgotten; one may be sent twice, and
 * consumers expect it.
 */
export const handler = measured(
  async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const failed = await relay(event.Records);
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  },
);
