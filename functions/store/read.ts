import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { documents, table } from './client.ts';

type Key = Readonly<Record<'pk' | 'sk', string>>;

/** The item at a key as it is now, or undefined: what was just written or removed is seen. */
export const read = async (key: Key) => {
  const { Item } = await documents.send(
    new GetCommand({ TableName: table(), Key: key, ConsistentRead: true }),
  );
  return Item;
};

/**
 * The same for several keys, in their order, by one call: calls side by side need a connection
 * each, whose TLS handshake a cold start pays.
 */
export const readTogether = async (...keys: readonly Key[]) => {
  const { Responses, UnprocessedKeys } = await documents.send(
    new BatchGetCommand({ RequestItems: { [table()]: { Keys: [...keys], ConsistentRead: true } } }),
  );
  const isAt =
    ({ pk, sk }: Key) =>
    (item: Record<string, unknown>) =>
      item.pk === pk && item.sk === sk;
  // A batch succeeds although DynamoDB throttles some of its keys (BatchGetItem,
  // "UnprocessedKeys"), so the SDK does not retry them. It retries a read of one key.
  const throttled = UnprocessedKeys?.[table()]?.Keys ?? [];
  return Promise.all(
    keys.map((key) =>
      throttled.some(isAt(key)) ? read(key) : Responses?.[table()]?.find(isAt(key)),
    ),
  );
};
