import { inspect } from '../../../bin/admin/table/invariants.ts';
import { readPartition } from '../../../bin/admin/table/scan.ts';
import { createTable } from '../../support/create-table.ts';
import { putAll } from '../../support/put-all.ts';
import { useStoreOf } from '../../support/store.ts';
import { author } from '../../support/test-author.ts';
import type { Item, Platform } from '../engine/case.ts';
import { tableName } from './function-variables.ts';

/**
 * Points the store at the table of the schedules, which has no stream. Test files share it: a
 * schedule has a tenant of its own.
 */
export const useTable = async (dynamodb: string): Promise<Omit<Platform, 'programs'>> => {
  useStoreOf({ table: tableName, endpoints: { dynamodb, sqs: '', ses: '', eventbridge: '' } });
  await createTable(tableName).catch((error: Error) => {
    if (error.name !== 'ResourceInUseException') throw error;
  });
  const put: Platform['put'] = (items) => putAll(items.map((item) => ({ ...item, author })));
  return { dynamodb, put, readPartition, comparable };
};

/** The last client gets the response that the claim holds. */
const comparable = (items: readonly Item[]) =>
  items.toSorted(byKind).map(({ result: _, expires: __, ...item }) => item);

/** Keys hold random hashes; the identifiers in sort keys are in the order of the clocks. */
const byKind = (a: Item, b: Item): number => (kindOf(a) < kindOf(b) ? -1 : 1);
const kindOf = ({ type, key, sk }: Item) => `${type} ${key} ${sk}`;

/** The operators' own invariants: nothing is half-written. */
export const halfWritten = (items: readonly Item[]): string[] => {
  const partitions = Map.groupBy(items, ({ pk }) => pk);
  const findings = [...partitions.values()].map((each) => inspect(each, new Date()));
  const missing = findings
    .flatMap(({ expectations }) => expectations)
    .filter(({ key }) => !items.some(({ pk, sk }) => pk === key.pk && sk === key.sk));
  return [
    ...findings.flatMap(({ violations }) => violations),
    ...missing.map((each) => each.violation),
  ].map(({ code, detail }) => `${code}: ${detail}`);
};
