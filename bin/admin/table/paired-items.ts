import { type Item, keyOf } from '../kinds/kind.ts';
import { batchSize, readAll } from './bulk.ts';
import { batched, inParallel } from './in-parallel.ts';
import { scan } from './scan.ts';
import { smokeRunOf } from './smoke-names.ts';

const readers = 8;

/**
 * Each item of a table, with what another table has in its place. Left out, as if they were not
 * there, are what nobody misses: Powertools' records of requests in progress; and of the first
 * table expired claims and the data of the smoke test.
 *
 * @param onItems is called with the number of items that were read so far
 */
export async function* pairedItems(
  from: string,
  other: string | undefined,
  onItems: (items: number) => void,
): AsyncGenerator<readonly [Item, Item | undefined]> {
  const nowS = Date.now() / 1000;
  let items = 0;
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
  for await (const batch of found) {
    items += batch.length;
    onItems(items);
    yield* batch;
  }
}

const isLasting = ({ pk, type, workspace, expires = Infinity }: Item, nowS: number): boolean =>
  type !== undefined && Number(expires) > nowS && !smokeRunOf(pk) && !smokeRunOf(workspace);
