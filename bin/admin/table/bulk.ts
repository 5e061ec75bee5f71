import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  type CancellationReason,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { backOff } from '../../../functions/runtime/back-off.ts';
import { isUnavailable } from '../../../functions/store/availability.ts';
import { documents, dynamodb, table } from '../../../functions/store/client.ts';
import { change } from '../../../functions/store/commit.ts';
import { longTimeLimits } from './long-time-limits.ts';
import type { Item, Key } from './scan.ts';

/** TransactWriteItems and BatchGetItem take this many items at most. */
export const batchSize = 100;

/** What became of an item that was to be created. `before` stands in its place since earlier. */
export type Creation =
  | { readonly outcome: 'created' }
  | { readonly outcome: 'present'; readonly before: Item }
  | { readonly outcome: 'refused'; readonly reason: string };

/** How long DynamoDB may turn everything away before we stop asking. */
const patienceMs = 60_000;
const longestPauseMs = 5000;

/**
 * Creates each item whose key is free, and leaves every other as it is, under concurrent writes
 * too.
 *
 * Only a condition makes that safe, and BatchWriteItem takes none. In a transaction each item has
 * its own, and a cancelled one names those that exist: the others are then put without them. For
 * many small items that is about three times as quick as single puts; it costs twice the write
 * units.
 *
 * @param items up to `batchSize`, each with another key; half of that, if items are counted
 * @param counterOf where the item is whose `attempts` counts this one: they are written together
 * @returns one answer for each, in their order
 * @throws when DynamoDB does not accept anything for a minute
 */
export const createAll = async (
  items: readonly Item[],
  counterOf: CounterOf = () => undefined,
): Promise<Creation[]> => {
  const creations: (Creation | undefined)[] = items.map(() => undefined);
  const puts = items.map((item) => ({
    item: marshall(item, { removeUndefinedValues: true }),
    counter: counterOf(item),
  }));
  await createRest(puts, creations);
  return creations as Creation[];
};

/** Where the item is that counts an item, if there is one. */
export type CounterOf = (item: Item) => Key | undefined;

interface Put {
  readonly item: Record<string, AttributeValue>;
  readonly counter: Key | undefined;
}

const createRest = async (
  puts: readonly Put[],
  creations: (Creation | undefined)[],
): Promise<void> => {
  let deadline = Date.now() + patienceMs;
  let tries = 0;
  // DynamoDB answers a repeated token with the first outcome: a try whose reply was lost counts.
  let token = randomUUID();
  for (;;) {
    const rest = [...creations.keys()].filter((index) => !creations[index]);
    if (rest.length === 0) return;
    const error = await transact(
      puts.filter((_, index) => !creations[index]),
      token,
    );
    if (!error) {
      for (const index of rest) creations[index] = { outcome: 'created' };
      return;
    }
    if (error instanceof TransactionCanceledException) {
      token = randomUUID();
      const answers = error.CancellationReasons?.map(answerOf) ?? [];
      for (const [position, index] of rest.entries()) creations[index] = answers[position];
      if (answers.some(Boolean)) {
        [deadline, tries] = [Date.now() + patienceMs, 0];
        continue;
      }
    } else if (isInvalid(error)) {
      await createEach(rest, error, puts, creations);
      return;
    } else if (!isUnavailable(error)) throw error;
    if (Date.now() >= deadline) throw error;
    tries += 1;
    await backOff(tries, 25, longestPauseMs);
  }
};

/** DynamoDB will never take them together, and does not say which is to blame: each on its own. */
const createEach = async (
  rest: readonly number[],
  error: Error,
  puts: readonly Put[],
  creations: (Creation | undefined)[],
): Promise<void> => {
  for (const index of rest) {
    const one: (Creation | undefined)[] = [
      rest.length === 1 ? { outcome: 'refused', reason: error.message } : undefined,
    ];
    await createRest(puts.slice(index, index + 1), one);
    creations[index] = one[0];
  }
};

/** @returns the error, if it failed */
const transact = (puts: readonly Put[], token: string): Promise<Error | undefined> =>
  dynamodb
    .send(
      new TransactWriteItemsCommand({
        ClientRequestToken: token,
        TransactItems: [
          ...puts.map(({ item }) => ({
            Put: {
              TableName: table(),
              Item: item,
              ConditionExpression: 'attribute_not_exists(pk)',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
            },
          })),
          ...countings(puts),
        ],
      }),
      longTimeLimits,
    )
    .then(
      () => undefined,
      (error: Error) => error,
    );

/** A transaction names an item once, however many it counts. */
const countings = (puts: readonly Put[]) => {
  const counters = puts.flatMap(({ counter }) => counter ?? []);
  return [...new Map(counters.map((counter) => [counter.pk, counter])).values()].map((counter) => ({
    Update: {
      TableName: table(),
      Key: marshall(counter),
      UpdateExpression: 'SET attempts = attempts + :more',
      ExpressionAttributeValues: {
        ':more': { N: String(counters.filter(({ pk }) => pk === counter.pk).length) },
      },
    },
  }));
};

/** What a cancelled transaction settles about an item; undefined when it is to be tried again. */
const answerOf = ({ Code, Item = {}, Message = '' }: CancellationReason): Creation | undefined => {
  if (Code === 'ConditionalCheckFailed') return { outcome: 'present', before: unmarshall(Item) };
  if (Code === 'ValidationError') return { outcome: 'refused', reason: Message };
  return undefined;
};

const isInvalid = ({ name }: Error) => name === 'ValidationException';

/**
 * Brings members of an item to what they are in another, if its status is still the one that was
 * read.
 *
 * @returns whether it was
 */
export const advance = (
  before: Item,
  after: Item,
  members: readonly string[],
): Promise<boolean> => {
  const known = members.filter((name) => after[name] !== undefined);
  const unknown = members.filter((name) => after[name] === undefined);
  return change({
    Key: { pk: before.pk, sk: before.sk },
    UpdateExpression: `SET ${known.map((name) => `#${name} = :${name}`)}${
      unknown.length > 0 ? ` REMOVE ${unknown.map((name) => `#${name}`)}` : ''
    }`,
    ConditionExpression: '#status = :before',
    ExpressionAttributeNames: Object.fromEntries(members.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(known.map((name) => [`:${name}`, after[name]])),
      ':before': before.status,
    },
  });
};

/**
 * The items at these keys, undefined where there is none.
 *
 * @param keys up to `batchSize`
 * @throws when DynamoDB does not answer for a minute
 */
export const readAll = async (keys: readonly Key[]): Promise<(Item | undefined)[]> => {
  const found = new Map<string, Item>();
  let deadline = Date.now() + patienceMs;
  // DynamoDB refuses a batch that names a key twice.
  let rest: Item[] = [
    ...new Map(keys.map(({ pk, sk }) => [nameOf({ pk, sk }), { pk, sk }])).values(),
  ];
  for (let tries = 1; rest.length > 0; tries++) {
    const { Responses, UnprocessedKeys } = await documents.send(
      new BatchGetCommand({ RequestItems: { [table()]: { Keys: rest, ConsistentRead: true } } }),
      longTimeLimits,
    );
    const items = Responses?.[table()] ?? [];
    for (const item of items) found.set(nameOf(item), item);
    rest = UnprocessedKeys?.[table()]?.Keys ?? [];
    if (items.length > 0) deadline = Date.now() + patienceMs;
    if (rest.length === 0) break;
    if (Date.now() >= deadline) throw new Error('DynamoDB returned no item for a minute.');
    await backOff(tries, 25, longestPauseMs);
  }
  return keys.map((key) => found.get(nameOf(key)));
};

/** Names the place of an item. */
export const nameOf = ({ pk, sk }: Item) => `${pk} ${sk}`;
