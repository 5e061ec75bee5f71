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
import type { ResourceShape } from '../template/honoured.ts';
import type { Resource, Template } from '../template/template.ts';
import { clientSettings } from './client-settings.ts';

const KeySchema = z.array(
  z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }),
);

const Index = z.object({
  IndexName: z.string(),
  KeySchema,
  Projection: z.object({ ProjectionType: z.enum(['ALL', 'KEYS_ONLY']) }),
});

const TableProperties = z.object({
  TableName: z.string().optional(),
  KeySchema,
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  BillingMode: z.literal('PAY_PER_REQUEST'),
  GlobalSecondaryIndexes: z.array(Index).optional(),
  LocalSecondaryIndexes: z.array(Index).optional(),
  StreamSpecification: z
    .object({
      StreamViewType: z.enum(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']),
    })
    .optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});

type TableProperties = z.infer<typeof TableProperties>;

/** What is read of a table. */
export const tableShape: ResourceShape<TableProperties> = {
  type: 'AWS::DynamoDB::Table',
  honoured: TableProperties,
  withoutEffect: [
    'ContributorInsightsSpecification',
    'DeletionProtectionEnabled',
    'GlobalSecondaryIndexes.ContributorInsightsSpecification',
    'PointInTimeRecoverySpecification',
    'ResourcePolicy',
    'SSESpecification',
    'TableClass',
    'Tags',
    'WarmThroughput',
  ],
};

/**
 * Creates the template's tables and supplies the template with the ARNs of their streams. A table
 * that exists is kept with its data.
 *
 * @throws Error when the keys, the indexes or the stream of such a table are not the template's
 */
export const createTables = async (template: Template, endpoint: string): Promise<void> => {
  const client = new DynamoDBClient(clientSettings(endpoint));
  try {
    for (const table of template.read(tableShape)) {
      const description = await createTable(client, table);
      const streamArn = description.LatestStreamArn;
      template.supply(table.logicalId, {
        attributes: streamArn === undefined ? {} : { StreamArn: streamArn },
      });
    }
  } finally {
    client.destroy();
  }
};

const createTable = async (
  client: DynamoDBClient,
  { name, properties }: Resource<TableProperties>,
): Promise<TableDescription> => {
  const { TimeToLiveSpecification, StreamSpecification, ...definition } = properties;
  try {
    await client.send(
      new CreateTableCommand({
        ...definition,
        TableName: name,
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
      `Table ${name} exists with other keys, indexes or another stream than the template's. ` +
        'Remove its data directory, or the table, and start again.',
    );
  }
  if (TimeToLiveSpecification?.Enabled) {
    await expireItems(client, name, TimeToLiveSpecification.AttributeName);
  }
  return table;
};

/** The parts of a table that a restart cannot change: keys, indexes and the stream. */
const outline = ({
  KeySchema,
  GlobalSecondaryIndexes,
  LocalSecondaryIndexes,
  StreamSpecification,
}: Partial<TableProperties> | TableDescription): string => {
  const indexes = [...(GlobalSecondaryIndexes ?? []), ...(LocalSecondaryIndexes ?? [])];
  return JSON.stringify([
    keys(KeySchema),
    indexes.map((index) => [index.IndexName, keys(index.KeySchema)].join()).sort(),
    StreamSpecification?.StreamViewType,
  ]);
};

const keys = (schema: TableDescription['KeySchema']): string =>
  (schema ?? []).map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join();

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
