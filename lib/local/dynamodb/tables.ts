import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Resource, Template } from '../cloudformation/template.ts';
import { clientSettings } from './client-settings.ts';

/**
 * Creates the template's tables. One that exists is kept with its data.
 *
 * @returns the ARNs of their streams, by the tables' logical ids
 */
export const createTables = async (
  template: Template,
  endpoint: string,
): Promise<Map<string, string>> => {
  const tables = template.read('AWS::DynamoDB::Table', (table) => table);
  const client = new DynamoDBClient(clientSettings(endpoint));
  const streams = new Map<string, string>();
  try {
    for (const table of tables) {
      const streamArn = await createTable(client, table);
      if (streamArn !== undefined) streams.set(table.logicalId, streamArn);
    }
    return streams;
  } finally {
    client.destroy();
  }
};

const createTable = async (
  client: DynamoDBClient,
  { name, properties }: Resource,
): Promise<string | undefined> => {
  const { AttributeDefinitions, BillingMode, KeySchema, StreamSpecification } = properties;
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        AttributeDefinitions,
        BillingMode,
        KeySchema,
        ...(StreamSpecification && {
          StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
        }),
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const { TimeToLiveSpecification: timeToLive } = properties;
  if (timeToLive) await expireItems(client, name, timeToLive.AttributeName);
  const { Table: table } = await client.send(new DescribeTableCommand({ TableName: name }));
  return table?.LatestStreamArn;
};

/**
 * DynamoDB refuses to turn on what is on already, maybe by an earlier try whose response was lost.
 */
const expireItems = async (
  client: DynamoDBClient,
  table: string,
  attribute: string,
): Promise<void> => {
  const TimeToLiveSpecification = { AttributeName: attribute, Enabled: true };
  await client
    .send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }))
    .catch((error: Error) => {
      if (error.name !== 'ValidationException') throw error;
    });
};
