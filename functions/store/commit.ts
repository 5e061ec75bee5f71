import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { documents, table } from './client.ts';
import { Conflict, GuardRefused } from './conflict.ts';
import { sendEffect } from './write-tries.ts';

export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Puts an item whose key was never used before. */
export const putOf = (item: Record<string, unknown>) => ({
  Put: {
    TableName: table(),
    Item: item,
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/**
 * The condition that attributes are as they were read.
 *
 * @param names one that is not in `before` is absent
 */
export const unchanged = (before: Readonly<Record<string, unknown>>, names: readonly string[]) => ({
  ConditionExpression: names
    .map((name) =>
      before[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}_before`,
    )
    .join(' AND '),
  ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
  ExpressionAttributeValues: Object.fromEntries(
    names.map((name) => [`:${name}_before`, before[name]]),
  ),
});

/**
 * Checks that attributes of an item are as they were read.
 *
 * @param asRead one of them is in `before`
 */
export const checkOf = (
  Key: Record<string, unknown>,
  before: Readonly<Record<string, unknown>>,
  asRead: readonly string[],
) => ({ ConditionCheck: { TableName: table(), Key, ...unchanged(before, asRead) } });

/**
 * Changes attributes of an item if some of it are as they were read.
 *
 * @param after one that is undefined is removed
 * @param before the item as it was read
 * @param asRead the attributes that must not have changed; one that is not in `before` is absent
 */
export const updateOf = (
  Key: Record<string, unknown>,
  after: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  asRead: readonly string[],
) => {
  const names = Object.keys(after);
  const removed = names.filter((name) => after[name] === undefined).map((name) => `#${name}`);
  const set = names
    .filter((name) => after[name] !== undefined)
    .map((name) => `#${name} = :${name}`);
  const condition = unchanged(before, asRead);
  return {
    Update: {
      TableName: table(),
      Key,
      UpdateExpression: `SET ${set}${removed.length > 0 ? ` REMOVE ${removed}` : ''}`,
      ...condition,
      ExpressionAttributeNames: {
        ...condition.ExpressionAttributeNames,
        ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
      },
      ExpressionAttributeValues: {
        ...condition.ExpressionAttributeValues,
        ...Object.fromEntries(names.map((name) => [`:${name}`, after[name]])),
      },
    },
  };
};

/**
 * Commits all writes or none.
 *
 * A lost response is harmless: the SDK sends one ClientRequestToken with all tries, and DynamoDB
 * returns for a repeated token the first outcome (TransactWriteItems, "Idempotency").
 *
 * @param guard one more write, whose refusal returns the item that is there already
 * @throws Conflict when a condition fails or another transaction is under way; nothing was written
 * @throws GuardRefused, OutcomeUnknown
 */
export const commit = async (writes: Write[], guard?: Write): Promise<void> => {
  try {
    const TransactItems = guard ? [guard, ...writes] : writes;
    await sendEffect(() => documents.send(new TransactWriteCommand({ TransactItems })));
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = error.CancellationReasons ?? [];
    const { Code, Item } = reasons[0] ?? {};
    if (guard && Item && Code === 'ConditionalCheckFailed') {
      throw new GuardRefused(unmarshall(Item));
    }
    const isConflict = reasons.some(({ Code = '' }) =>
      /^(ConditionalCheckFailed|TransactionConflict)$/.test(Code),
    );
    throw isConflict ? new Conflict('The transaction was cancelled.', { cause: error }) : error;
  }
};

/**
 * Commits one new item.
 *
 * The key is new and random, so whatever stands there already is this very item, put by a try
 * whose response was lost: the condition keeps a late try from undoing what has happened to it
 * since.
 *
 * @throws Conflict, GuardRefused, OutcomeUnknown
 */
export const commitNew = async (item: Record<string, unknown>, guard?: Write): Promise<void> => {
  if (guard) return commit([putOf(item)], guard);
  await writeAlone(putOf(item));
};

/**
 * Makes one write if its condition holds, without a transaction, which would cost twice as much.
 *
 * @returns whether this call has made it; false also after a lost response
 * @throws Conflict, OutcomeUnknown
 */
export const writeAlone = async (
  write: { readonly Put: PutCommandInput } | { readonly Update: UpdateCommandInput },
): Promise<boolean> => {
  try {
    await sendEffect<unknown>(() =>
      'Put' in write
        ? documents.send(new PutCommand(write.Put))
        : documents.send(new UpdateCommand(write.Update)),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    if (!(error instanceof TransactionConflictException)) throw error;
    throw new Conflict('A transaction holds the item.', { cause: error });
  }
};
