import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { type ResourceShape, withoutEffect } from '../cloudformation/resource-shape.ts';
import type { Resource } from '../cloudformation/template-reader.ts';
import { clientSettings } from './client-settings.ts';

const TableProperties = z.strictObject({
  TableName: z.string().optional(),
  KeySchema: z.array(
    z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }),
  ),
  AttributeDefinitions: z.array(
    z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  BillingMode: z.literal('PAY_PER_REQUEST'),
  StreamSpecification: z.strictObject({ StreamViewType: z.literal('NEW_IMAGE') }).optional(),
  TimeToLiveSpecification: z
    .strictObject({ AttributeName: z.string(), Enabled: z.literal(true) })
    .optional(),
  DeletionProtectionEnabled: withoutEffect,
  PointInTimeRecoverySpecification: withoutEffect,
});

type TableProperties = z.infer<typeof TableProperties>;

/** What is read of a table. */
export const tableShape: ResourceShape<TableProperties> = {
  type: 'AWS::DynamoDB::Table',
  schema: TableProperties,
};

/**
 * Creates tables. One that exists is kept with its data.
 *
 * @returns the ARNs of their streams, by the tables' logical ids
 * @throws Error when the keys or the stream of a table that exists are not the template's
 */
export const createTables = async (
  tables: readonly Resource<TableProperties>[],
  endpoint: string,
): Promise<[logicalId: string, streamArn: string][]> => {
  const client = new DynamoDBClient(clientSettings(endpoint));
  const streams: [string, string][] = [];
  try {
    for (const table of tables) {
      const { LatestStreamArn } = await createTable(client, table);
      if (LatestStreamArn !== undefined) streams.push([table.logicalId, LatestStreamArn]);
    }
    return streams;
  } finally {
    client.destroy();
  }
};

const createTable = async (
  client: DynamoDBClient,
  { name, properties }: Resource<TableProperties>,
): Promise<TableDescription> => {
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
  const { Table: table } = await client.send(new DescribeTableCommand({ TableName: name }));
  if (table === undefined) throw new Error(`DynamoDB did not describe ${name}`);
  if (outline(table) !== outline(properties)) {
    throw new Error(
      `Table ${name} exists with other keys or another stream than the template's. ` +
        'Remove its data directory, or the table, and start again.',
    );
  }
  const { TimeToLiveSpecification: timeToLive } = properties;
  if (timeToLive) await expireItems(client, name, timeToLive.AttributeName);
  return table;
};

/** The parts of a table that a restart cannot change: its keys with their types, and its stream. */
const outline = ({
  KeySchema = [],
  AttributeDefinitions = [],
  StreamSpecification,
}: Partial<TableProperties> | TableDescription): string => {
  const types = new Map(
    AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
  const keys = KeySchema.map(({ AttributeName, KeyType }) => [
    KeyType,
    AttributeName,
    types.get(AttributeName),
  ]);
  return JSON.stringify([keys, StreamSpecification?.StreamViewType]);
};

/** DynamoDB refuses to turn on what is on already, maybe by an earlier try whose reply was lost. */
const expireItems = async (
  client: DynamoDBClient,
  table: string,
  attribute: string,
): Promise<void> => {
  try {
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: table,
        TimeToLiveSpecification: { AttributeName: attribute, Enabled: true },
      }),
    );
  } catch (error) {
    const { TimeToLiveDescription } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: table }),
    );
    if (TimeToLiveDescription?.TimeToLiveStatus !== 'ENABLED') throw error;
  }
};
