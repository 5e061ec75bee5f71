import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { documents, table } from '../../functions/store/client.ts';
import { batched, inParallel } from '../admin/table/in-parallel.ts';
import type { Item } from '../admin/table/scan.ts';

/** BatchWriteItem takes 25 items at most. */
const batchSize = 25;
const writers = 3;

/** Puts many items quickly, whatever stands in their places. */
export const putAll = (items: readonly object[], into = table()): Promise<void> =>
  writeAll(
    items.map((Item) => ({ PutRequest: { Item } })),
    into,
  );

/** Removes many items quickly. */
export const removeAll = (items: readonly Item[], from = table()): Promise<void> =>
  writeAll(
    items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
    from,
  );

const writeAll = async (
  requests: NonNullable<BatchWriteCommandInput['RequestItems']>[string],
  table: string,
): Promise<void> => {
  const writes = inParallel(batched(requests, batchSize), writers, (batch) =>
    documents.send(new BatchWriteCommand({ RequestItems: { [table]: batch } })),
  );
  await Array.fromAsync(writes);
};
