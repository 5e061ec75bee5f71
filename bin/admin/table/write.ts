import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../../functions/domain/item.ts';
import { isUnavailable } from '../../../functions/store/availability.ts';
import { documents, table } from '../../../functions/store/client.ts';
import { putOf, unchanged } from '../../../functions/store/commit.ts';
import { Conflict, retry } from '../../../functions/store/conflict.ts';
import { readItem } from '../../../functions/store/read.ts';
import { OutcomeUnknown } from '../../../functions/store/write-tries.ts';
import { inParallel, parallelCalls } from './in-parallel.ts';
import { type Key, longTimeLimits } from './scan.ts';

/** How long DynamoDB may refuse before a command fails: an import on a slow machine goes on. */
const patienceMs = 60_000;

const isTransient = (error: unknown): boolean =>
  isUnavailable(error instanceof OutcomeUnknown ? error.cause : error) ||
  error instanceof Conflict ||
  (error as Error).name === 'TransactionConflictException';

/** Makes calls again while DynamoDB refuses them; nothing may depend on how often they are made. */
export const retryUntilAvailable = <T>(run: () => Promise<T>): Promise<T> =>
  retry(run, patienceMs, isTransient);

/**
 * Puts an item on a condition.
 *
 * A try whose response was lost may have put it: an author or an act names one run of a command, so
 * an item that is the same in all its members is this very one.
 *
 * @returns what is there instead; undefined if the item is there now
 */
const put = async (input: PutCommandInput): Promise<Item | undefined> => {
  const command = new PutCommand({ ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
  try {
    await retryUntilAvailable(() => documents.send(command, longTimeLimits));
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const there = unmarshall(error.Item ?? {});
    return isDeepStrictEqual(there, input.Item) ? undefined : there;
  }
};

/**
 * Creates an item if its key is free, under concurrent writes too.
 *
 * @returns what is there already; undefined if this call has created the item
 */
export const createItem = (item: Item): Promise<Item | undefined> => put(putOf(item).Put);

/**
 * Makes an item what another is, if it is still as it was read.
 *
 * @param before with an undefined member for each that it must not have got since
 * @returns whether it was
 */
export const rewrite = async (before: Item, after: Item): Promise<boolean> => {
  const condition = unchanged(before, Object.keys({ ...before, ...after }));
  const there = await put({ ...condition, TableName: table(), Item: after });
  return there === undefined;
};

/** The items at these keys, in their order; undefined where there is none. */
export const readEach = (keys: readonly Key[]): AsyncGenerator<Item | undefined> =>
  inParallel(keys, parallelCalls, (key) => retryUntilAvailable(() => readItem(key)));
