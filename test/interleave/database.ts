import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { localEnvironment } from '../../bin/local-environment.ts';
import { attributes } from '../../functions/store/attributes.ts';
import { dynamodb } from '../../functions/store/client.ts';
import '../support/patient-store.ts';
import { tableName } from './schedule.ts';

/** Creates the table of the schedules, which has no stream, and points the store at it. */
export const useDatabase = async (url: string): Promise<void> => {
  const endpoints = { dynamodb: url, sqs: '', eventbridge: '' };
  Object.assign(process.env, localEnvironment({ table: tableName, endpoints }));
  const { partitionKey, sortKey } = attributes;
  await dynamodb.send(
    new CreateTableCommand({
      TableName: tableName,
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [partitionKey, sortKey].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
};
