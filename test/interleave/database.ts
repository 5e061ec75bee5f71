import { localEnvironment } from '../../bin/local-run/local-environment.ts';
import { createTable } from '../support/create-table.ts';
import '../support/store-time-limits.ts';
import { tableName } from './schedule.ts';

/** Test files that share a process share the table. */
let created: Promise<void> | undefined;

/** Creates the table of the schedules, which has no stream, and points the store at it. */
export const useDatabase = async (url: string): Promise<void> => {
  const endpoints = { dynamodb: url, sqs: '', eventbridge: '' };
  Object.assign(process.env, localEnvironment({ table: tableName, endpoints }));
  created ??= createTable(tableName);
  await created;
};
