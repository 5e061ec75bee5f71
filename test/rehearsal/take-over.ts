import {
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  type LambdaClient,
  paginateListEventSourceMappings,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { attributes } from '../../functions/store/attributes.ts';

/** What the rehearsal of a restored table works with. */
export interface TakeOver {
  readonly dynamodb: DynamoDBClient;
  readonly lambda: LambdaClient;
  /** The table in service, and the name of the restored one. */
  readonly table: string;
  readonly restored: string;
  /** Runs the operators' command line. */
  readonly admin: (...args: string[]) => Promise<string>;
  /** Imports the restored table into the stack. */
  readonly deploy: () => Promise<unknown>;
}

/**
 * Restores the table beside the one in service, prepares it and puts it into service: the steps of
 * lib/RESTORE.md, in their order, but for the API's throttling. MiniStack restores the items of
 * now, whatever the time.
 */
export const takeOver = async ({ lambda, admin, deploy, ...tables }: TakeOver): Promise<void> => {
  await setConsumers(lambda, false);
  await prepare({ admin, ...tables });
  await deploy();
  // Those of the stream are new ones.
  await setConsumers(lambda, true);
};

const setConsumers = async (client: LambdaClient, Enabled: boolean): Promise<void> => {
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings(
    { client },
    {},
  )) {
    for (const { UUID } of EventSourceMappings) {
      await client.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
    }
  }
};

const prepare = async ({
  dynamodb,
  table,
  restored,
  admin,
}: Omit<TakeOver, 'lambda' | 'deploy'>): Promise<void> => {
  const TableName = restored;
  const at = new Date().toISOString();
  await dynamodb.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: table,
      TargetTableName: restored,
      UseLatestRestorableTime: true,
    }),
  );
  const ready = () => waitUntilTableExists({ client: dynamodb, maxWaitTime: 60 }, { TableName });
  await ready();
  await admin('restore', '--into', restored, '--from', table, '--at', at, '--yes');
  await dynamodb.send(
    new UpdateTableCommand({
      TableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );
  await ready();
  await dynamodb.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: attributes.timeToLive, Enabled: true },
    }),
  );
  await dynamodb.send(
    new UpdateContinuousBackupsCommand({
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    }),
  );
  await dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
};
