import { batchSize, createAll, keyOf, nameOf, readAll, replace, rewrite } from '../table/bulk.ts';
import { batched, inParallel } from '../table/in-parallel.ts';
import { ranks } from '../table/needs.ts';
import type { Redact } from '../table/redactions.ts';
import { Progress } from '../terminal/progress.ts';
import { isSame } from './paired-items.ts';
import type { Planning } from './plan.ts';
import type { Change, PlannedChanges } from './planned-changes.ts';

const writers = 4;
/** Half of what a transaction takes, since some items are large. */
const itemsAtOnce = batchSize / 2;

/**
 * Makes the changes that are planned, each on its condition: an item is created where none is, and
 * replaced or removed if it still is as it was read. So it can be broken off and run again.
 *
 * @returns how many changes were made, and how many had been made before
 */
export const carryOut = async (
  changes: PlannedChanges,
  onFinding: Planning['onFinding'],
  signal: AbortSignal,
): Promise<{ readonly written: number; readonly present: number }> => {
  const progress = new Progress('items');
  const tally = { written: 0, present: 0 };
  for (const rank of ranks) {
    const batches = batched(changes.values(rank), itemsAtOnce);
    for await (const made of inParallel(batches, writers, (batch) =>
      signal.aborted ? Promise.resolve([]) : makeAll(batch, onFinding),
    )) {
      for (const each of made) tally[each] += 1;
      progress.show(tally.written + tally.present);
    }
  }
  progress.clear();
  return tally;
};

/**
 * Redacts what was written, but was read before its redaction: an operator may redact while another
 * one restores.
 */
export const redactWritten = async (changes: PlannedChanges, redact: Redact): Promise<void> => {
  for (const { after = {} } of changes.values()) await rewrite(after, redact(after));
};

type ChangeResult = 'written' | 'present';

const makeAll = async (
  batch: readonly Change[],
  onFinding: Planning['onFinding'],
): Promise<ChangeResult[]> => {
  const creations = batch.flatMap(({ before, after }) => (after && !before ? [after] : []));
  const created = (await createAll(creations)).flatMap((creation, index): ChangeResult[] => {
    if (creation.result === 'created') return ['written'];
    if (creation.result === 'present') return ['present'];
    const item = creations[index] ?? {};
    const detail = `${nameOf(item)} cannot be stored: ${creation.reason}`;
    onFinding({ finding: 'not_put_back', ...keyOf(item), detail });
    return [];
  });
  const replaced = await Promise.all(
    batch.map(async ({ before, after }): Promise<ChangeResult[]> => {
      if (!before) return [];
      if (await replace(before, after)) return ['written'];
      const [now] = await readAll([keyOf(before)]);
      if (now && after ? isSame(now, after) : now === after) return ['present'];
      const detail = `${nameOf(before)} has changed since it was listed, and is left as it is.`;
      onFinding({ finding: 'changed_meanwhile', ...keyOf(before), detail });
      return [];
    }),
  );
  return [...created, ...replaced.flat()];
};
