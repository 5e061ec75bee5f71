import { createTable } from '../support/create-table.ts';
import { useStoreOf } from '../support/store.ts';
import { tableName } from './function-variables.ts';

/** Creates the table of the schedules, which has no stream, and points the store at it. */
export const useDatabase = async (url: string): Promise<void> => {
  useStoreOf({ table: tableName, endpoints: { dynamodb: url, sqs: '', eventbridge: '' } });
  await createTable(tableName);
};
