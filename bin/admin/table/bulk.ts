import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { backOff } from '../../../functions/runtime/back-off.ts';
import { isUnavailable } from '../../../functions/store/availability.ts';
import { documents, dynamodb, table } from '../../../functions/store/client.ts';
import { change, wasRepeated } from '../../../functions/store/commit.ts';
import { type Item, type Key, keyOf, nameOf } from '../kinds/kind.ts';
import { longTimeLimits } from './scan.ts';

/** TransactWriteItems and BatchGetItem take this many items at most. */
export const batchSize = 100;

/** The result of creating an item. `before` is the item that exists at its key. */
export type Creation =
  | { readonly result: 'created' }
  | { readonly result: 'present'; readonly before: Item }
  | { readonly result: 'refused'; readonly reason: string };

/** How long DynamoDB may reject every request before the command fails. */
const patienceMs = 60_000;
const longestPauseMs = 5000;

/**
 * Creates each item whose key is free, and leaves every other as it is, under concurrent writes
 * too. A record of Powertools, which alone has no type, gives way to the claim in its place, as in
 * the service: the request that it is about finds the claim, and has no second effect.
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
  counterOf: (item: Item) => Key | undefined = () => undefined,
): Promise<Creation[]> => {
  const creations: (Creation | undefined)[] = items.map(() => undefined);
  const puts = items.map((item) => ({
    item: marshall(item, { removeUndefinedValues: true }),
    counter: counterOf(item),
  }));
  await createRest(puts, creations);
  return creations as Creation[];
};

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
      for (const index of rest) creations[index] = { result: 'created' };
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

/** DynamoDB rejects them together and does not say why, so each is put on its own. */
const createEach = async (
  rest: readonly number[],
  error: Error,
  puts: readonly Put[],
  creations: (Creation | undefined)[],
): Promise<void> => {
  for (const index of rest) {
    const one: (Creation | undefined)[] = [
      rest.length === 1 ? { result: 'refused', reason: error.message } : undefined,
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
              ConditionExpression: 'attribute_not_exists(#type)',
              ExpressionAttributeNames: { '#type': 'type' },
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

/** What became of an item in a cancelled transaction; undefined when it is to be tried again. */
const answerOf = ({ Code, Item = {}, Message = '' }: CancellationReason): Creation | undefined => {
  if (Code === 'ConditionalCheckFailed') return { result: 'present', before: unmarshall(Item) };
  if (Code === 'ValidationError') return { result: 'refused', reason: Message };
  return undefined;
};

const isInvalid = ({ name }: Error) => name === 'ValidationException';

/**
 * Makes an item what another is, if the members that must be unchanged are still as they were read.
 *
 * @param unchanged those that change, unless given
 * @returns whether they were
 */
export const rewrite = async (
  before: Item,
  after: Item,
  unchanged: readonly string[] = changedMembers(before, after),
): Promise<boolean> => {
  const members = changedMembers(before, after);
  if (members.length === 0) return true;
  const names = [...new Set([...members, ...unchanged])];
  const placeOf = (name: string) => names.indexOf(name);
  const set = members.filter((name) => after[name] !== undefined);
  const removed = members.filter((name) => after[name] === undefined);
  const settings = set.map((name) => `#${placeOf(name)} = :after${placeOf(name)}`);
  const condition = ifUnchanged(before, unchanged, names);
  return change(
    {
      ...condition,
      UpdateExpression: [
        ...(set.length > 0 ? [`SET ${settings}`] : []),
        ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${placeOf(name)}`)}`] : []),
      ].join(' '),
      ExpressionAttributeValues: {
        ...condition.ExpressionAttributeValues,
        ...Object.fromEntries(set.map((name) => [`:after${placeOf(name)}`, after[name]])),
      },
    },
    (item) => members.every((name) => isDeepStrictEqual(item[name], after[name])),
  );
};

const changedMembers = (before: Item, after: Item): string[] =>
  membersOf({ ...before, ...after }).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

const membersOf = ({ pk: _, sk: __, ...members }: Item): string[] => Object.keys(members);

/** The condition that members of an item are as they were read, with placeholders for all names. */
const ifUnchanged = (before: Item, unchanged: readonly string[], names = unchanged) => {
  const there = unchanged.filter((name) => before[name] !== undefined);
  const absent = unchanged.filter((name) => before[name] === undefined);
  const placeOf = (name: string) => names.indexOf(name);
  return {
    Key: keyOf(before),
    ConditionExpression: [
      'attribute_exists(pk)',
      ...there.map((name) => `#${placeOf(name)} = :before${placeOf(name)}`),
      ...absent.map((name) => `attribute_not_exists(#${placeOf(name)})`),
    ].join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, place) => [`#${place}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      there.map((name) => [`:before${placeOf(name)}`, before[name]]),
    ),
  };
};

/**
 * Removes an item, if it is still exactly as it was read.
 *
 * @returns whether it was
 */
export const removeItem = async (before: Item): Promise<boolean> => {
  const input = ifUnchanged(before, membersOf(before));
  const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  try {
    await documents.send(new DeleteCommand({ ...input, ...returned, TableName: table() }));
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // A try of this call whose reply was lost may have removed it.
    return wasRepeated(error) && !error.Item;
  }
};

/**
 * The items at these keys, undefined where there is none.
 *
 * @param from the table that they are read from
 * @throws when DynamoDB does not answer for a minute
 */
export const readAll = async (
  keys: readonly Key[],
  from = table(),
): Promise<(Item | undefined)[]> => {
  const found = new Map<string, Item>();
  let deadline = Date.now() + patienceMs;
  // DynamoDB refuses a batch that names a key twice.
  const rest: Item[] = [
    ...new Map(keys.map(({ pk, sk }) => [nameOf({ pk, sk }), { pk, sk }])).values(),
  ];
  let tries = 0;
  while (rest.length > 0) {
    const Keys = rest.splice(0, batchSize);
    const { Responses, UnprocessedKeys } = await documents.send(
      new BatchGetCommand({ RequestItems: { [from]: { Keys, ConsistentRead: true } } }),
      longTimeLimits,
    );
    const items = Responses?.[from] ?? [];
    const unprocessed = UnprocessedKeys?.[from]?.Keys ?? [];
    for (const item of items) found.set(nameOf(item), item);
    rest.push(...unprocessed);
    if (unprocessed.length < Keys.length) deadline = Date.now() + patienceMs;
    tries = unprocessed.length > 0 ? tries + 1 : 0;
    if (tries === 0) continue;
    if (Date.now() >= deadline) throw new Error('DynamoDB returned no item for a minute.');
    await backOff(tries, 25, longestPauseMs);
  }
  return keys.map((key) => found.get(nameOf(key)));
};
