import { paginateQuery, paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../functions/domain/item.ts';
import { documents, table } from '../../../functions/store/client.ts';

export type Key = { readonly pk: string; readonly sk: string };

export const keyOf = ({ pk, sk }: Item): Key => ({ pk: String(pk), sk: String(sk) });

/** HTTP options of an operator's calls, for which no request waits. */
export const longTimeLimits = { requestTimeout: 30_000 } as const;

/**
 * Every item of the table, or those that a filter lets through. It reads, and costs, the whole
 * table either way: for an operator's question now and then, never for a request. A consistent
 * read, so what was committed before the scan came by is seen; not a snapshot of one moment.
 *
 * @param filter may name another table
 */
export async function* scan(filter: Partial<ScanCommandInput> = {}): AsyncGenerator<Item> {
  const pages = paginateScan(
    { client: documents },
    { TableName: table(), ConsistentRead: true, ...filter },
    longTimeLimits,
  );
  for await (const { Items = [] } of pages) yield* Items;
}

/** Lets items through for which an expression is true: `#name` is an attribute, `:name` a value. */
export const filterBy = (
  expression: string,
  values: Readonly<Record<string, unknown>>,
): Partial<ScanCommandInput> => ({
  FilterExpression: expression,
  ExpressionAttributeNames: Object.fromEntries(
    Array.from(expression.matchAll(/#(\w+)/g), ([place, name = '']) => [place, name]),
  ),
  ExpressionAttributeValues: Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`:${name}`, value]),
  ),
});

/** The items of a type that have these attributes; undefined ones do not count. */
export const scanType = (
  type: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
): AsyncGenerator<Item> => {
  const wanted = Object.entries({ type, ...attributes }).filter(([, value]) => value !== undefined);
  const conditions = wanted.map(([name]) => `#${name} = :${name}`);
  return scan(filterBy(conditions.join(' AND '), Object.fromEntries(wanted)));
};

/**
 * Every item of the table, a partition at a time. DynamoDB returns a partition's items one after
 * another; that is not promised, so who finds something missing in a partition reads it again by
 * its key.
 */
export async function* scanPartitions(): AsyncGenerator<Item[]> {
  let partition: Item[] = [];
  for await (const item of scan()) {
    if (partition.length > 0 && partition[0]?.pk !== item.pk) {
      yield partition;
      partition = [];
    }
    partition.push(item);
  }
  if (partition.length > 0) yield partition;
}

/** All items of a partition, in the order of their sort keys. */
export const readPartition = (pk: string): Promise<Item[]> => readPartitionFrom({ pk, sk: '' });

/** The items of a partition whose sort keys begin with that of a key, in their order. */
export const readPartitionFrom = async ({ pk, sk }: Key): Promise<Item[]> => {
  const items: Item[] = [];
  const pages = paginateQuery(
    { client: documents },
    {
      TableName: table(),
      ConsistentRead: true,
      KeyConditionExpression: `pk = :pk${sk ? ' AND begins_with(sk, :sk)' : ''}`,
      ExpressionAttributeValues: { ':pk': pk, ...(sk && { ':sk': sk }) },
    },
    longTimeLimits,
  );
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
};
