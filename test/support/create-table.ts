import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { attributes } from '../../functions/store/attributes.ts';
import { dynamodb } from '../../functions/store/client.ts';

const { partitionKey, sortKey } = attributes;

/** Creates a table with these keys, or those of the service's; nothing reads its stream. */
export const createTable = async (
  TableName: string,
  keys: readonly string[] = [partitionKey, sortKey],
): Promise<void> => {
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keys.map((AttributeName, index) => ({
        AttributeName,
        KeyType: index === 0 ? 'HASH' : 'RANGE',
      })),
    }),
  );
};
