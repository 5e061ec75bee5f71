import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../functions/domain/item.ts';
import { fixtures, Sandbox } from '../../functions/domain/sandbox.ts';
import { documents, table } from '../../functions/store/client.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { inParallel, parallelCalls } from '../admin/table/in-parallel.ts';
import { isUnderWay } from '../admin/table/invariants.ts';
import { keyOf, readPartition } from '../admin/table/scan.ts';
import { AdminError } from '../command-line/admin-error.ts';

/** Notes partitions as those of a run in its file, before anything is written to them. */
export const own = (file: string, ...partitions: readonly string[]): void =>
  appendFileSync(file, partitions.map((each) => `${each}\n`).join(''));

/**
 * Removes everything in the partitions that the file of a run notes.
 *
 * @param patienceMs how long messages about it may take
 * @throws AdminError when they take longer
 */
export const cleanUp = async (file: string, patienceMs = 15_000): Promise<void> => {
  const partitions = new Set(readFileSync(file, 'utf8').split('\n').slice(0, -1));
  const items = await readSettled(partitions, patienceMs);
  // An event of what has changed last needs its workspace; without it there is a dead letter.
  await sleep(publishingMs);
  const inSandboxes = items
    .filter(({ type }) => type === 'SANDBOX')
    .map((item) => Sandbox.parse(item))
    .flatMap((sandbox) => fixtureItems(fixtures(sandbox, sandbox.created)))
    .map(({ pk }) => String(pk));
  const all = [...items, ...(await readPartitions(new Set(inSandboxes)))];
  const removals = inParallel(all.map(keyOf), parallelCalls, (Key) =>
    documents.send(new DeleteCommand({ TableName: table(), Key })),
  );
  await Array.fromAsync(removals);
};

/** Longer than an event takes to be published. */
const publishingMs = 10_000;
const pauseMs = 500;

/**
 * The items in some partitions, once no message is about any: if they were removed before, the
 * consumer would not find them, and an alarm would report that.
 *
 * @throws AdminError when that takes too long
 */
const readSettled = async (
  partitions: ReadonlySet<string>,
  patienceMs: number,
): Promise<Item[]> => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const items = await readPartitions(partitions);
    const pending = items.filter((item) => isUnderWay(item) || item.status === 'provisioning');
    if (pending.length === 0) return items;
    if (Date.now() >= deadline) {
      throw new AdminError(pending.map(({ id, status }) => `${id} is ${status}.`).join(' '));
    }
    await sleep(pauseMs);
  }
};

const readPartitions = async (partitions: ReadonlySet<string>): Promise<Item[]> => {
  const reading = inParallel(partitions, parallelCalls, (pk) => readPartition(pk));
  return (await Array.fromAsync(reading)).flat();
};
