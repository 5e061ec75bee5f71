import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { inBatches, inParallel } from '../../bin/admin/table/in-parallel.ts';
import { documents, table } from '../../functions/store/client.ts';

/** BatchWriteItem takes 25 items at most. */
const batchSize = 25;
const writers = 3;

/** Puts many items quickly, whatever stands in their places. */
export const putAll = async (items: readonly object[], into = table()): Promise<void> => {
  const puts = items.map((Item) => ({ PutRequest: { Item } }));
  const writes = inParallel(inBatches(puts, batchSize), writers, (batch) =>
    documents.send(new BatchWriteCommand({ RequestItems: { [into]: batch } })),
  );
  await Array.fromAsync(writes);
};
