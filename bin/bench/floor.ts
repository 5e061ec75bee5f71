import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';

const documents = DynamoDBDocumentClient.from(new DynamoDBClient());

/** The least that a function on DynamoDB can be: one GetItem with the SDK, nothing around it. */
export const handler = async ({ key }: { key: { pk: string; sk: string } }) => {
  const { Item } = await documents.send(
    new GetCommand({ TableName: process.env.TABLE_NAME, Key: key }),
  );
  return { statusCode: 200, body: JSON.stringify(Item) };
};
