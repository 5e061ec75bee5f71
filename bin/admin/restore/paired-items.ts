import { isDeepStrictEqual } from 'node:util';
import { batchSize, keyOf, readAll } from '../table/bulk.ts';
import { batched, inParallel } from '../table/in-parallel.ts';
import { type Item, scan } from '../table/scan.ts';
import { smokeRunOf } from '../table/smoke-names.ts';
import { counted } from '../terminal/progress.ts';

const readers = 8;

/**
 * Each item of a table, with what another table has in its place. Left out, as if they were not
 * there, are what nobody misses: Powertools' records of requests in progress; and of the first
 * table expired claims and the data of the smoke test.
 */
export async function* pairedItems(
  from: string,
  other: string | undefined,
): AsyncGenerator<readonly [Item, Item | undefined]> {
  const nowS = Date.now() / 1000;
  const found = inParallel(
    batched(scan({ TableName: from }), batchSize),
    readers,
    async (batch) => {
      const lasting = batch.filter((item) => isLasting(item, nowS));
      const there = other ? await readAll(lasting.map(keyOf), other) : [];
      return lasting.map((item, index) => {
        const placed = there[index];
        return [item, placed?.type ? placed : undefined] as const;
      });
    },
  );
  for await (const batch of counted(`items of ${from}`, found, ({ length }) => length)) {
    yield* batch;
  }
}

const isLasting = ({ pk, type, workspace, expires = Infinity }: Item, nowS: number): boolean =>
  type !== undefined && Number(expires) > nowS && !smokeRunOf(pk) && !smokeRunOf(workspace);

/** Whether two items are in the same state, however they came into their tables. */
export const isSame = (one: Item, other: Item): boolean =>
  isDeepStrictEqual(stateOf(one), stateOf(other));

/** The table does not store members that are undefined. */
const stateOf = ({ imported: _, ...item }: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
