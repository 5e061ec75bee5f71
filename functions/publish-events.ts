import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { publishRecords } from './queue/publish.ts';
import { measured } from './telemetry/metrics.ts';

/**
 * Publishes an event for each approval, sandbox, delivery attempt and redaction, and for what
 * becomes of them.
 * The stream carries what was committed, so only committed changes are published, and all of them.
 */
export const handler = measured(
  async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const failed = await publishRecords(event.Records);
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  },
);
