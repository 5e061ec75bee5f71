import { paginateQuery, paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { documents, table } from '../../../functions/store/client.ts';
import { read } from '../../../functions/store/read.ts';
import type { Item, Key } from '../kinds/kind.ts';

export type { Item, Key };

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

/** Readers of a parallel scan. Each waits for its pages; together they cost what one does. */
const segments = 8;

/** The items that a filter lets through, in no order. */
export const scanInParallel = async (filter: Partial<ScanCommandInput>): Promise<Item[]> => {
  const scans = Array.from({ length: segments }, (_, Segment) =>
    Array.fromAsync(scan({ ...filter, Segment, TotalSegments: segments })),
  );
  return (await Promise.all(scans)).flat();
};

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

/** Lets items of a type through that have these attributes; undefined ones do not count. */
export const typeFilter = (
  type: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
): Partial<ScanCommandInput> => {
  const wanted = Object.entries({ type, ...attributes }).filter(([, value]) => value !== undefined);
  const conditions = wanted.map(([name]) => `#${name} = :${name}`);
  return filterBy(conditions.join(' AND '), Object.fromEntries(wanted));
};

/** Lets items of these types through for which an expression is true, if one is given. */
export const typesFilter = (
  types: readonly string[],
  expression = '',
  values: Readonly<Record<string, unknown>> = {},
): Partial<ScanCommandInput> => {
  const ofTypes = `#type IN (${types.map((_, index) => `:type${index}`)})`;
  return filterBy(expression ? `${ofTypes} AND (${expression})` : ofTypes, {
    ...values,
    ...Object.fromEntries(types.map((type, index) => [`type${index}`, type])),
  });
};

/** The items of a type that have these attributes. */
export const scanType = (
  type: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
): AsyncGenerator<Item> => scan(typeFilter(type, attributes));

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

/** How many partitions to read at once: many, since a reader mostly waits. */
export const partitionReaders = 16;

/** The item at a key, or undefined. */
export const readItem = (key: Key): Promise<Item | undefined> => read(key);

/** All items of a partition, in the order of their sort keys. */
export const readPartition = (pk: string, TableName = table()): Promise<Item[]> =>
  readBeside({ pk, sk: '' }, TableName);

/** The items of a partition whose sort keys begin with that of a key, in their order. */
export const readBeside = async ({ pk, sk }: Key, TableName = table()): Promise<Item[]> => {
  const items: Item[] = [];
  const pages = paginateQuery(
    { client: documents },
    {
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: `pk = :pk${sk ? ' AND begins_with(sk, :sk)' : ''}`,
      ExpressionAttributeValues: { ':pk': pk, ...(sk && { ':sk': sk }) },
    },
    longTimeLimits,
  );
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
};

/**
 * Time limits for an operator's long reads and writes, such as a page of a scan or a large
 * transaction, for which no request waits. They are given with a command, as its HTTP options.
 */
export const longTimeLimits = { requestTimeout: 30_000 } as const;
