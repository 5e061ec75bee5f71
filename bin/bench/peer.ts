import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';

const dynamodb = new DynamoDBClient();

export const documents = DynamoDBDocumentClient.from(dynamodb);
export const TableName = process.env.TABLE_NAME ?? '';

/**
 * What makes an endpoint idempotent in Powertools' documentation: middy, and records in the same
 * table. The peers neither authenticate nor validate, and their bundles have no trims of ours.
 */
export const idempotent = (respond: (event: APIGatewayProxyEvent) => Promise<object>) =>
  middy(async (event: APIGatewayProxyEvent) => ({
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(await respond(event)),
  })).use(
    makeHandlerIdempotent({
      persistenceStore: new DynamoDBPersistenceLayer({
        tableName: TableName,
        keyAttr: 'pk',
        sortKeyAttr: 'sk',
        awsSdkV3Client: dynamodb,
      }),
      config: new IdempotencyConfig({
        eventKeyJmesPath: '[path, headers."Idempotency-Key"]',
        expiresAfterSeconds: 30 * 24 * 60 * 60,
      }),
    }),
  );
