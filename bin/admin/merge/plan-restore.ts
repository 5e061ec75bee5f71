import { isDeepStrictEqual } from 'node:util';
import type { Act } from '../../../functions/domain/author.ts';
import { table } from '../../../functions/store/client.ts';
import {
  companionsOf,
  isBeginning,
  isCompanion,
  isSame,
  kindOf,
  restoredItem,
  unreadableResult,
} from '../kinds/all.ts';
import { type Item, keyOf, nameOf } from '../kinds/kind.ts';
import { batchSize, readAll } from '../table/bulk.ts';
import { batched } from '../table/in-parallel.ts';
import { pairedItems } from '../table/paired-items.ts';
import { isUnredacted, type Redact } from '../table/redactions.ts';
import { addTo } from '../table/tally.ts';
import { type Finding, type Findings, notPutBack } from './findings.ts';
import { lost, tornMs } from './lost.ts';
import { missingNeed, Plan, readNeighbours } from './plan.ts';

/** What every restore is given. */
export interface Restoring {
  /** Who restores. */
  readonly by: Act;
  /** The second that the table was restored to, ISO 8601 in UTC. */
  readonly at: string;
  /** Applies the redactions of both tables: no restore brings redacted data back. */
  readonly redact: Redact;
  readonly findings: Findings;
  /** Ends the plan. */
  readonly signal: AbortSignal;
  /** Is called with the number of items of a table that were read so far. */
  readonly onItems: (items: number) => void;
}

/** Plans to put back what the table in service lacks and a restored one has. */
export const planRepair = async (restoredTable: string, restoring: Restoring): Promise<Plan> => {
  const { by, redact, findings } = restoring;
  const plan = new Plan();
  for await (const [item, now] of pairedItems(restoredTable, table(), restoring)) {
    if (!now) {
      await addItem(plan, redact(restoredItem(item, by)), restoring);
      continue;
    }
    if (isUnredacted(now, redact)) addTo(plan.found, now.type);
    if (!isSame(redact(item), redact(now))) findings.add(differs(redact(now), redact(item)));
  }
  // What was not read would look as if it were missing.
  if (!restoring.signal.aborted) await leaveOut(plan, findings);
  return plan;
};

/**
 * Plans to make a restored table, which nothing uses yet, one that can be in service.
 *
 * @param old the table that was in service, if it can be read: its later states win
 */
export const planTakeover = async (
  old: string | undefined,
  restoring: Restoring,
): Promise<Plan> => {
  const { by, at, redact, findings } = restoring;
  const plan = new Plan();
  const torn = new Date(Date.parse(at) - tornMs).toISOString();
  for await (const [item, before] of pairedItems(table(), old, restoring)) {
    const later = before && kindOf(item)?.later?.(item, before);
    const after = redact(restoredItem(later ?? item, by, before));
    if (!isSame(item, after)) plan.add({ before: item, after });
    if (isBeginning(item) || String(item.updated) > torn) await addCompanions(plan, after, by);
  }
  for await (const [before, item] of old ? pairedItems(old, table(), restoring) : []) {
    const kind = kindOf(before);
    if (item) {
      const [now, then] = [redact(before), redact(item)];
      if (!kind?.later && !isSame(now, then)) findings.add(differs(now, then));
    } else if (kind?.isCarried) await addItem(plan, redact(before), restoring);
    else if (!isCompanion(before)) findings.add(lost(redact(before)));
  }
  await leaveOut(plan);
  return plan;
};

const addItem = async (plan: Plan, item: Item, { by, findings }: Restoring): Promise<void> => {
  const reason = unreadableResult(item);
  if (reason) findings.add(notPutBack(item, reason));
  else plan.add({ after: item });
  await addCompanions(plan, item, by);
};

/** Of a sandbox's test workspace what neither table has. */
const addCompanions = async (plan: Plan, sandbox: Item, by: Act): Promise<void> => {
  const companions = companionsOf(sandbox, by);
  const there = await readAll(companions.map(keyOf));
  for (const [index, after] of companions.entries()) {
    if (!there[index]) plan.addIfMissing({ after });
  }
};

/** Removes changes that need an item which is neither in the table nor among the changes. */
const leaveOut = async (plan: Plan, findings?: Findings): Promise<void> => {
  for await (const batch of batched(plan.values(), batchSize)) {
    const items = batch.flatMap(({ before, after }) => (before ? [] : [after]));
    const found = await readNeighbours(items);
    for (const item of items) {
      const need = missingNeed(plan, found, item);
      if (!need) continue;
      plan.delete(item);
      if (isCompanion(item)) continue;
      // With a claim that is all that is known of its effect.
      const isAll = kindOf(item)?.isAnonymous;
      findings?.add(isAll ? lost(item) : notPutBack(item, `There is no ${need.what}.`));
    }
  }
};

const differs = (now: Item, restored: Item): Finding => ({
  finding: 'differs',
  ...keyOf(now),
  detail: `${nameOf(now)} (now / restored): ${differences(now, restored)}`,
  now,
  restored,
});

const differences = (now: Item, restored: Item): string =>
  Object.keys({ ...now, ...restored })
    .filter((name) => name !== 'imported' && !isDeepStrictEqual(now[name], restored[name]))
    .map((name) => `${name} ${JSON.stringify(now[name])} / ${JSON.stringify(restored[name])}`)
    .join(', ');
