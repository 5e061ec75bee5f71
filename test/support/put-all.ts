import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { documents, table } from '../../functions/store/client.ts';

/** BatchWriteItem takes 25 items at most. */
const batchSize = 25;
const writers = 3;

/** Puts many items quickly, whatever stands in their places. */
export const putAll = async (items: readonly Record<string, unknown>[]): Promise<void> => {
  let next = 0;
  const write = async () => {
    while (next < items.length) {
      const batch = items.slice(next, next + batchSize);
      next += batchSize;
      await documents.send(
        new BatchWriteCommand({
          RequestItems: { [table()]: batch.map((Item) => ({ PutRequest: { Item } })) },
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
};
