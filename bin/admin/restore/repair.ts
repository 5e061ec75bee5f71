import type { Act } from '../../../functions/domain/author.ts';
import { read } from '../../../functions/store/read.ts';
import { createAll, keyOf, replace } from '../table/bulk.ts';
import { isCompanion } from '../table/companions.ts';
import type { Violation, ViolationCode } from '../table/invariants.ts';
import { needOf } from '../table/needs.ts';
import { type Item, readPartition } from '../table/scan.ts';
import { isBeginning } from '../table/statuses.ts';
import { verifyTable } from '../table/verify-table.ts';
import type { Finding } from './findings.ts';
import { lost } from './lost.ts';
import type { Planning } from './plan.ts';
import type { PlannedChanges } from './planned-changes.ts';
import { companionsOf } from './restored-item.ts';

/**
 * Repairs what a torn transaction or a deletion has left of an item.
 *
 * @returns whether it is in order now
 */
type Repair = (item: Item, by: Act, onFinding: Planning['onFinding']) => Promise<boolean>;

/**
 * Only what is sure: the half of a transaction that is there says what the other half was. In the
 * order in which they are made: attempts are counted when all are there.
 */
const repairs: Partial<Record<ViolationCode, Repair>> = {
  sandbox_without_workspace: async (sandbox, by) => {
    const creations = await createAll(companionsOf(sandbox, by));
    return creations.every(({ result }) => result !== 'refused');
  },
  // The sandbox that the attempt came with is lost.
  delivery_without_offer: async (attempt) =>
    (await hasNeed(attempt)) || (isCompanion(attempt) && replace(attempt, undefined)),
  approved_but_open: (item) => goOnTo('approved', item),
  sent_but_draft: (item) => goOnTo('sent', item),
  // As it was read before its attempts: if one is added meanwhile, the offer changes too.
  wrong_summary: async (offer) => {
    const items = await readPartition(String(offer.pk));
    const attempts = items.filter(({ type }) => type === 'DELIVERY').length;
    return attempts === offer.attempts || replace(offer, { ...offer, attempts });
  },
  claim_without_effect: async (claim, _, onFinding) => {
    if (await hasNeed(claim)) return true;
    onFinding(lost(claim));
    return replace(claim, undefined);
  },
};

/** Whether what an item needs is there, maybe since an earlier repair. */
const hasNeed = async (item: Item): Promise<boolean> => {
  const need = needOf(item);
  return need !== undefined && (await read(need.key)) !== undefined;
};

const goOnTo = async (status: string, item: Item): Promise<boolean> =>
  !isBeginning(item) || replace(item, { ...item, status });

/**
 * Repairs the violations in the table, as far as they can be.
 *
 * @returns how many it has repaired
 */
export const repairAll = async ({ by, onFinding }: Pick<Planning, 'by' | 'onFinding'>) => {
  let repaired = 0;
  const order = Object.keys(repairs);
  const rankOf = ({ code }: Violation) => order.indexOf(code);
  const { violations } = await verifyTable();
  for (const violation of violations.sort((one, other) => rankOf(one) - rankOf(other))) {
    const item = await read(keyOf({ ...violation }));
    if (item === undefined) continue;
    if (await repairs[violation.code]?.(item, by, onFinding)) repaired += 1;
    else onFinding(findingOf(violation));
  }
  return repaired;
};

/**
 * Looks at the violations that the planned changes leave.
 *
 * @returns how many of them can be repaired
 */
export const foreseeRepairs = async (
  changes: PlannedChanges,
  onFinding: Planning['onFinding'],
): Promise<number> => {
  let repairable = 0;
  const { violations } = await verifyTable();
  for (const violation of violations) {
    const { code, pk } = violation;
    const claim = code === 'claim_without_effect' && (await read(keyOf({ ...violation })));
    const effect = claim && needOf(claim);
    if (changes.partition(effect ? effect.key.pk : pk).length > 0) continue;
    if (code in repairs) repairable += 1;
    else onFinding(findingOf(violation));
  }
  return repairable;
};

const findingOf = ({ code, pk, sk, detail }: Violation): Finding => ({
  finding: 'violation',
  pk,
  sk,
  detail: `${code}: ${detail}`,
});
