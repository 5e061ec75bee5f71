import { batchSize, createAll, keyOf, nameOf, readAll, replace } from '../table/bulk.ts';
import { batched, inParallel } from '../table/in-parallel.ts';
import { needOf, rankOf, ranks } from '../table/needs.ts';
import { type Redacted, redactAll } from '../table/redact-workspace.ts';
import { readRedactions, redactionsIn, redactorNow } from '../table/redactions.ts';
import type { Item } from '../table/scan.ts';
import { Progress } from '../terminal/progress.ts';
import { totalOf } from '../terminal/tally.ts';
import { isSame } from './paired-items.ts';
import type { Planning } from './plan.ts';
import type { Change, PlannedChanges } from './planned-changes.ts';

const writers = 4;
/** Half of what a transaction takes, since some items are large. */
const itemsAtOnce = batchSize / 2;

/**
 * Makes the changes that are planned, each on its condition: an item is created where none is, and
 * replaced or removed if it still is as it was read. So it can be broken off and run again. Each
 * batch is redacted by what is recorded when it is written.
 *
 * @returns how many changes were made, and how many had been made before
 */
export const carryOut = async (
  changes: PlannedChanges,
  { sources, onFinding }: Pick<Planning, 'sources' | 'onFinding'>,
  signal: AbortSignal,
): Promise<{ readonly written: number; readonly present: number }> => {
  const progress = new Progress('items');
  const tally = { written: 0, present: 0 };
  for (const rank of ranks) {
    const batches = batched(changes.values(rank), itemsAtOnce);
    for await (const made of inParallel(batches, writers, async (batch) =>
      signal.aborted ? [] : makeAll(await redactedNow(batch, sources), onFinding),
    )) {
      for (const each of made) tally[each] += 1;
      progress.show(tally.written + tally.present);
    }
  }
  progress.clear();
  return tally;
};

/** Changes without what redactions name that are recorded at this moment. */
const redactedNow = async (
  batch: readonly Change[],
  sources: readonly string[],
): Promise<Change[]> => {
  const written = batch.flatMap(({ after }) => (after && rankOf(after) > 0 ? [after] : []));
  const requests = written.flatMap((item) => (item.workspace ? [] : (needOf(item)?.key ?? [])));
  const owners = new Map((await readAll(requests)).map((owner) => [owner?.pk, owner?.workspace]));
  const workspaceOf = (item: Item) => item.workspace ?? owners.get(item.pk);
  const redact = await redactorNow(written.map(workspaceOf), async (workspace) => {
    const recorded = sources.map((name) => readRedactions(workspace, name));
    return (await Promise.all(recorded)).flat();
  });
  return batch.map(({ before, after }) => ({
    ...(before && { before }),
    ...(after && { after: redact(after, workspaceOf(after)) }),
  }));
};

/**
 * Ends a restore: redacts what redactions name that were recorded since its plan, or that the plan
 * has found in the table. `redactAll` says why nothing is left.
 */
export const redactRest = async (
  { sources, redactions, found }: Pick<Planning, 'sources' | 'redactions' | 'found'>,
  pause: () => Promise<unknown>,
): Promise<Redacted> => {
  const recorded = await redactionsIn(sources);
  const known = new Set(redactions.map(({ id }) => id));
  const late = recorded.filter(({ id }) => !known.has(id));
  if (late.length === 0 && totalOf(found) === 0) return { redacted: {}, found: {} };
  // Those of the old table, if the restored one is prepared.
  for await (const batch of batched(late, batchSize)) await createAll(batch);
  return redactAll(recorded, pause);
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
