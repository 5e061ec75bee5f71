import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../runtime/environment.ts';
import { maxAttempts, timeLimits } from '../runtime/time-limits.ts';
import { ObservingHandler } from './observing-handler.ts';

/** The client of DynamoDB. */
export const dynamodb = new DynamoDBClient({
  maxAttempts,
  requestHandler: new ObservingHandler(timeLimits),
});

/** The same client, with items as plain objects. */
export const documents = DynamoDBDocumentClient.from(dynamodb, {
  marshallOptions: { removeUndefinedValues: true },
});

/** The name of the table. */
export const table = () => environment('TABLE_NAME');
