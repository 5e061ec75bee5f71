import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Act } from '../../../functions/domain/author.ts';
import { table } from '../../../functions/store/client.ts';
import { batchSize, keyOf, nameOf, readAll } from '../table/bulk.ts';
import { isCompanion } from '../table/companions.ts';
import { batched } from '../table/in-parallel.ts';
import { kinds } from '../table/kinds.ts';
import { wasRemoved } from '../table/managers.ts';
import { needOf, unreadableResult } from '../table/needs.ts';
import { isUnredacted, type Redact } from '../table/redactions.ts';
import { type Item, readPartition } from '../table/scan.ts';
import { isBeginning } from '../table/statuses.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { readText } from '../terminal/read-text.ts';
import { addTo, type Tally } from '../terminal/tally.ts';
import { parsedJson } from '../transfer/exact-json.ts';
import type { Finding } from './findings.ts';
import { lost, tornMs } from './lost.ts';
import { isSame, pairedItems } from './paired-items.ts';
import { PlannedChanges } from './planned-changes.ts';
import { companionsOf, restoredItem } from './restored-item.ts';

/** What every plan is given. */
export interface Planning {
  /** Who restores. */
  readonly by: Act;
  /** The second that the table was restored to, ISO 8601 in UTC. */
  readonly at: string;
  /** The redactions of both tables, and what applies them: no restore brings redacted data back. */
  readonly redactions: readonly Item[];
  readonly redact: Redact;
  /** The tables in which redactions may be recorded while the restore runs. */
  readonly sources: readonly string[];
  /** What is to be redacted in the table already, by type: another run may have written it. */
  readonly found: Tally;
  readonly onFinding: (finding: Finding) => void;
}

/** Plans to put back what the table in service lacks and a restored one has. */
export const planRepair = async (
  restoredTable: string,
  { by, redact, found, onFinding }: Planning,
): Promise<PlannedChanges> => {
  const changes = new PlannedChanges();
  for await (const [item, now] of pairedItems(restoredTable, table())) {
    const restored = redact(item);
    if (now) {
      if (isUnredacted(now, redact)) addTo(found, now.type);
      if (!isSame(restored, redact(now))) onFinding(differs(redact(now), restored));
      continue;
    }
    if (restored.type === 'MANAGER' && (await isRemoved(restored, restoredTable))) continue;
    await addItem(changes, redact(restoredItem(item, by)), { by, onFinding });
  }
  await leaveOut(changes, onFinding);
  return changes;
};

/**
 * Plans to make a restored table, which nothing uses yet, one that can be in service.
 *
 * @param old the table that was in service, if it can be read: its later states win
 */
export const planTakeover = async (
  old: string | undefined,
  { by, at, redact, onFinding }: Planning,
): Promise<PlannedChanges> => {
  const changes = new PlannedChanges();
  const torn = new Date(Date.parse(at) - tornMs).toISOString();
  for await (const [restored, before] of pairedItems(table(), old)) {
    if (restored.type === 'MANAGER' && (await isRemoved(restored, old ?? table()))) {
      changes.add({ before: restored });
      continue;
    }
    const later = before ? laterState(restored, before) : restored;
    const after = redact(restoredItem(later, by, before));
    if (!isSame(restored, after)) changes.add({ before: restored, after });
    const isRecent = isBeginning(restored) || String(restored.updated) > torn;
    if (restored.type === 'SANDBOX' && isRecent) await addCompanions(changes, after, by);
  }
  for await (const [before, restored] of old ? pairedItems(old, table()) : []) {
    const type = String(before.type);
    if (!restored && carried.includes(type))
      await addItem(changes, redact(before), { by, onFinding });
    else if (!restored && !isCompanion(before)) onFinding(lost(redact(before)));
    else if (restored && !laterWins.includes(type) && !isSame(redact(before), redact(restored))) {
      onFinding(differs(redact(before), redact(restored)));
    }
  }
  await leaveOut(changes);
  return changes;
};

/** What is copied from the old table; a claim only if its effect is in the restored one. */
const carried = ['ACT', 'REDACTION', 'CLAIM'];
/** What takes its state from the old table. */
const laterWins = ['TOKEN', 'DELIVERY'];

/** A delivery attempt as the old table has it, if that has its later end. */
const laterState = (restored: Item, old: Item): Item => {
  if (old.type !== 'DELIVERY' || isBeginning(old)) return restored;
  if (!isBeginning(restored) && String(restored.updated) >= String(old.updated)) return restored;
  const changing = kinds.DELIVERY?.changing ?? [];
  return { ...restored, ...Object.fromEntries(changing.map((name) => [name, old[name]])) };
};

/** Whether a manager was removed, as the table in place or another one knows. */
const isRemoved = async (manager: Item, other: string): Promise<boolean> => {
  const pk = String(manager.pk);
  const partitions = await Promise.all([table(), other].map((name) => readPartition(pk, name)));
  return wasRemoved(manager, partitions.flat());
};

const addItem = async (
  changes: PlannedChanges,
  item: Item,
  { by, onFinding }: Pick<Planning, 'by' | 'onFinding'>,
): Promise<void> => {
  const reason = unreadableResult(item);
  if (reason) onFinding(notPutBack(item, reason));
  else changes.add({ after: item });
  if (item.type === 'SANDBOX') await addCompanions(changes, item, by);
};

/** Of a sandbox's test workspace what neither table has. */
const addCompanions = async (changes: PlannedChanges, sandbox: Item, by: Act): Promise<void> => {
  const companions = companionsOf(sandbox, by);
  const there = await readAll(companions.map(keyOf));
  for (const [index, after] of companions.entries()) {
    if (!there[index]) changes.addIfMissing({ after });
  }
};

/** Removes changes that need an item which is neither in the table nor among the changes. */
const leaveOut = async (
  changes: PlannedChanges,
  onFinding?: Planning['onFinding'],
): Promise<void> => {
  for await (const batch of batched(changes.values(), batchSize)) {
    const needy = batch.flatMap(({ before, after }) => {
      const need = before ? undefined : after && needOf(after);
      return need && after ? [{ need, after }] : [];
    });
    const there = await readAll(needy.map(({ need }) => need.key));
    for (const [index, { need, after }] of needy.entries()) {
      if (there[index] || changes.get(need.key)) continue;
      changes.delete(after);
      if (isCompanion(after)) continue;
      // With a claim that is all that is known of its effect.
      const isClaim = after.type === 'CLAIM';
      onFinding?.(isClaim ? lost(after) : notPutBack(after, `There is no ${need.what}.`));
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

const notPutBack = (item: Item, detail: string): Finding => ({
  finding: 'not_put_back',
  ...keyOf(item),
  detail: `${nameOf(item)}: ${detail}`,
});

const item = z.looseObject({ pk: z.string(), sk: z.string() });
const Listed = z.object({ finding: z.literal('differs'), now: item, restored: item });
type Listed = z.infer<typeof Listed>;

/**
 * The lines of a report that a file holds.
 *
 * @throws AdminError when the file cannot be read, or a line is not one of an item that differs, or
 * is about two items
 */
export const readListed = (file: string): Listed[] =>
  readText(file)
    .split('\n')
    .flatMap((line, index) => {
      if (!line.trim()) return [];
      const parsed = parsedJson(line);
      const { data } = Listed.safeParse('value' in parsed ? parsed.value : undefined);
      const place = `line ${index + 1} of ${file}`;
      if (!data) {
        throw new AdminError(`${place}: Must be a line of --report whose finding is differs.`);
      }
      const { now, restored } = data;
      if (['pk', 'sk', 'type', 'id'].some((name) => now[name] !== restored[name])) {
        throw new AdminError(`${place}: The pk, sk, type and id of restored must be those of now.`);
      }
      return [data];
    });

/** Plans to put items back to their restored state, which a report has listed as different. */
export const addListed = (
  changes: PlannedChanges,
  listed: readonly Listed[],
  { by, redact, onFinding }: Pick<Planning, 'by' | 'redact' | 'onFinding'>,
): void => {
  for (const { now, restored } of listed) {
    const hasWaited = now.type === 'DELIVERY' || now.type === 'SANDBOX';
    if (hasWaited && isBeginning(restored) && !isBeginning(now)) {
      const detail = `${nameOf(now)} is ${now.status}, which is final: the restored status ${restored.status} is not put back.`;
      onFinding({ finding: 'not_put_back', ...keyOf(now), detail });
    } else changes.add({ before: now, after: redact(restoredItem(restored, by, now)) });
  }
};
