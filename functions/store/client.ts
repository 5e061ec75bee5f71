import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../runtime/environment.ts';
import { DeadlineHandler } from './deadline.ts';

/**
 * Three tries of at most 2 s each, so that a dependency that hangs is given up on before the
 * function is: the caller then reads 503, not API Gateway's word for a dead function.
 */
export const dynamodb = new DynamoDBClient({
  maxAttempts: 3,
  requestHandler: new DeadlineHandler({
    connectionTimeout: 1000,
    requestTimeout: 2000,
    throwOnRequestTimeout: true,
  }),
});

export const documents = DynamoDBDocumentClient.from(dynamodb, {
  marshallOptions: { removeUndefinedValues: true },
});

export const table = () => environment('TABLE_NAME');
