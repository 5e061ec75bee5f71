import type { Act } from '../../../functions/domain/author.ts';
import { read } from '../../../functions/store/read.ts';
import { companionsOf, isCompanion, kindOf, needOf } from '../kinds/all.ts';
import { type Item, keyOf, type Violation } from '../kinds/kind.ts';
import { createAll, removeItem, rewrite } from '../table/bulk.ts';
import { readPartition } from '../table/scan.ts';
import { findViolations } from '../table/verify-table.ts';
import type { Finding, Findings } from './findings.ts';
import { lost } from './lost.ts';
import type { Plan } from './plan.ts';
import type { Restoring } from './plan-restore.ts';

/** What is missing beside an item with a violation, if that is the violation. */
const missingOf = (item: Item, code: string) => {
  const need = needOf(item);
  return need?.code === code ? need : undefined;
};

/** Whether what a torn transaction or a deletion has left says what the rest was. */
const isRepairable = (item: Item, code: string): boolean => {
  const kind = kindOf(item);
  if (!missingOf(item, code)) return kind?.repairs?.[code] !== undefined;
  return kind?.companions !== undefined || kind?.isAnonymous === true || isCompanion(item);
};

/** Repairs what is repairable. @returns whether the item is in order now */
const repair = async (item: Item, code: string, by: Act, findings: Findings): Promise<boolean> => {
  const kind = kindOf(item);
  const missing = missingOf(item, code);
  if (!missing) {
    const after = kind?.repairs?.[code]?.(item, await readPartition(String(item.pk)));
    return after !== undefined && (await rewrite(item, after));
  }
  // It may be there since an earlier repair.
  if (await read(missing.key)) return true;
  if (kind?.companions) {
    const creations = await createAll(companionsOf(item, by));
    return creations.every(({ result }) => result !== 'refused');
  }
  if (kind?.isAnonymous) findings.add(lost(item));
  // Of a companion the sandbox that it came with is lost.
  return (kind?.isAnonymous || isCompanion(item)) && (await removeItem(item));
};

/** Sandboxes first: what they come with is counted then. Claims last: they need everything else. */
const orderOf = (item: Item): number => {
  const { companions, rank = 0 } = kindOf(item) ?? {};
  return companions ? -1 : rank;
};

const readViolations = async () => {
  const violations = await findViolations();
  const items = await Promise.all(violations.map((each) => read(keyOf({ ...each }))));
  return violations
    .map((violation, index) => ({ violation, item: items[index] }))
    .filter((each): each is { violation: Violation; item: Item } => each.item !== undefined)
    .sort((one, other) => orderOf(one.item) - orderOf(other.item));
};

/**
 * Repairs the violations in the table, as far as they can be.
 *
 * @returns how many it has repaired
 */
export const repairAll = async ({ by, findings }: Pick<Restoring, 'by' | 'findings'>) => {
  let repaired = 0;
  for (const { violation } of await readViolations()) {
    // An earlier repair may have changed it.
    const item = await read(keyOf({ ...violation }));
    if (item === undefined) continue;
    if (await repair(item, violation.code, by, findings)) repaired += 1;
    else findings.add(findingOf(violation));
  }
  return repaired;
};

/**
 * Looks at the violations that the planned changes leave.
 *
 * @returns how many of them can be repaired
 */
export const foreseeRepairs = async (plan: Plan, findings: Findings): Promise<number> => {
  let repairable = 0;
  for (const { violation, item } of await readViolations()) {
    const missing = missingOf(item, violation.code);
    if (plan.hasPartition(missing?.key.pk ?? violation.pk)) continue;
    if (isRepairable(item, violation.code)) repairable += 1;
    else findings.add(findingOf(violation));
  }
  return repairable;
};

const findingOf = ({ code, pk, sk, detail }: Violation): Finding => ({
  finding: 'violation',
  pk,
  sk,
  detail: `${code}: ${detail}`,
});
