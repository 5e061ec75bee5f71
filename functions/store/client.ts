import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../runtime/environment.ts';
import { maxAttempts, timeLimits } from '../runtime/time-limits.ts';
import { ObservingHandler } from './observing-handler.ts';

export const dynamodb = new DynamoDBClient({
  maxAttempts,
  requestHandler: new ObservingHandler(timeLimits),
});

/** The same client, with items as plain objects. */
export const documents = DynamoDBDocumentClient.from(dynamodb, {
  marshallOptions: { removeUndefinedValues: true },
});

export const table = () => environment('TABLE_NAME');
