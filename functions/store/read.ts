import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { documents, table } from './client.ts';

/** The item at a key as it is now, or undefined: what was just written or removed is seen. */
export const readItem = async (key: { pk: string; sk: string }) => {
  const { Item } = await documents.send(
    new GetCommand({ TableName: table(), Key: key, ConsistentRead: true }),
  );
  return Item;
};
