import { createTable } from '../support/create-table.ts';
import { useStoreOf } from '../support/store.ts';
import { tableName } from './function-variables.ts';

/**
 * Points the store at the table of the schedules, which has no stream. Test files share it: a
 * schedule has a tenant of its own.
 */
export const useDatabase = async (url: string): Promise<void> => {
  useStoreOf({ table: tableName, endpoints: { dynamodb: url, sqs: '', eventbridge: '' } });
  await createTable(tableName).catch((error: Error) => {
    if (error.name !== 'ResourceInUseException') throw error;
  });
};
