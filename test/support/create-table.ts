import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { attributes } from '../../functions/store/attributes.ts';
import { dynamodb } from '../../functions/store/client.ts';

const { partitionKey, sortKey } = attributes;

/** Creates a table with the keys of the service's; nothing reads its stream. */
export const createTable = async (TableName: string): Promise<void> => {
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [partitionKey, sortKey].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
    }),
  );
};
