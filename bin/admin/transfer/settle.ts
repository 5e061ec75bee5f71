import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../../functions/domain/problem.ts';
import { keys } from '../../../functions/store/keys.ts';
import { nameOf } from '../table/bulk.ts';
import { DiskMap } from '../table/disk-map.ts';
import { wasRemoved } from '../table/managers.ts';
import { needOf, rankOf } from '../table/needs.ts';
import { type Redact, readRedactions, redactor } from '../table/redactions.ts';
import type { Item } from '../table/scan.ts';
import { isBeginning } from '../table/statuses.ts';
import type { Entry } from './entry.ts';
import type { ImportTable } from './import-table.ts';

/** A line of the file: its entry, or its faults. */
export interface ReadLine {
  readonly line: number;
  readonly entry: Entry | Fault[];
}

/** The result of a line. */
export interface SettledLine {
  readonly line: number;
  readonly result: 'created' | 'updated' | 'present' | Fault[];
}

/** Settles batches of rows, each after the earlier batches that name one of its items too. */
export const settler = (table: ImportTable) => {
  const settlement = {
    table,
    firstLines: new DiskMap<number>(),
    redactions: new ImportRedactions(),
  };
  const underWay = new Map<string, Promise<unknown>>();
  return async (batch: readonly ReadLine[]): Promise<SettledLine[]> => {
    const names = batch.flatMap(({ entry }) => (Array.isArray(entry) ? [] : nameOf(entry.item)));
    const earlier = names.flatMap((name) => underWay.get(name) ?? []);
    const settling = Promise.all(earlier).then(() => settleBatch(settlement, batch));
    for (const name of names) underWay.set(name, settling);
    const settled = await settling;
    for (const name of names) if (underWay.get(name) === settling) underWay.delete(name);
    return settled;
  };
};

/** What the lines of an import are settled with. */
interface Settlement {
  readonly table: ImportTable;
  /** By the key of an item, the line that named it first and was not bad. */
  readonly firstLines: DiskMap<number>;
  readonly redactions: ImportRedactions;
}

const settleBatch = async (
  settlement: Settlement,
  batch: readonly ReadLine[],
): Promise<SettledLine[]> => {
  const { table, firstLines, redactions } = settlement;
  const results = new Map<number, SettledLine['result']>();
  const rows = await withoutNeed(settlement, batch, results);
  const ready = await withoutRemoved(table, rows, results);
  const creations = await table.create(
    ready.map(({ entry }) => entry.item),
    (item) => (item.type === 'DELIVERY' ? needOf(item)?.key : undefined),
  );
  const settling = creations.map(async (creation, index) => {
    const { line, entry, redact } = ready[index] as ReadyLine;
    if (creation.result === 'refused') {
      results.set(line, [refused(creation.reason)]);
      return;
    }
    const { item } = entry;
    if (item.type === 'REDACTION') redactions.add(item);
    const before = creation.result === 'present' ? creation.before : undefined;
    const first = before && firstLines.get(item);
    const faults = before ? differences(redact(before), entry, first) : [];
    if (faults.length > 0) results.set(line, faults);
    else if (first) results.set(line, 'present');
    else {
      results.set(line, before ? await advanceItem(table, before, entry) : 'created');
      if (item.what === 'manager removed') await removeManager(table, item);
      firstLines.setIfMissing(item, line);
    }
  });
  await Promise.all(settling);
  return batch.map(({ line }) => ({ line, result: results.get(line) ?? [] }));
};

interface ReadyLine {
  readonly line: number;
  readonly entry: Entry;
  readonly redact: Redact;
}

/** The rows but for managers who were removed later: they are as good as there already. */
const withoutRemoved = async (
  table: ImportTable,
  rows: readonly ReadyLine[],
  results: Map<number, SettledLine['result']>,
): Promise<ReadyLine[]> => {
  const removed = await Promise.all(
    rows.map(
      async ({ entry: { item } }) =>
        item.type === 'MANAGER' && wasRemoved(item, await table.partition(String(item.pk))),
    ),
  );
  return rows.filter(({ line }, index) => {
    if (removed[index]) results.set(line, 'present');
    return !removed[index];
  });
};

/** Removes the manager of whom an act says it, unless added again since. */
const removeManager = async (table: ImportTable, act: Item): Promise<void> => {
  const [manager] = await table.read([keys.manager(String(act.account), String(act.manager))]);
  if (manager && wasRemoved(manager, [act])) await table.replace(manager, undefined);
};

/** The rows that are not bad, and whose need, if they have one, is met; redacted. */
const withoutNeed = async (
  { table, redactions }: Settlement,
  batch: readonly ReadLine[],
  results: Map<number, SettledLine['result']>,
): Promise<ReadyLine[]> => {
  const needs = batch.flatMap(({ entry }) => ('need' in entry && entry.need ? entry.need.key : []));
  const found = new Map(
    (await table.read(needs)).map((item) => [item && nameOf(item), item] as const),
  );
  const ready = batch.map(async ({ line, entry }): Promise<ReadyLine | []> => {
    const faults = Array.isArray(entry) ? entry : needFaults(entry, found);
    if (faults.length > 0 || Array.isArray(entry)) {
      results.set(line, [...faults]);
      return [];
    }
    const { item, need } = entry;
    // An approval names no workspace; the payment request that it needs does.
    const owner = item.workspace ? item : need && found.get(nameOf(need.key));
    const redact =
      rankOf(item) && owner ? await redactions.of(String(owner.workspace)) : unredacted;
    return { line, entry: redactedEntry(entry, redact), redact };
  });
  return (await Promise.all(ready)).flat();
};

/** What needs nothing and has no personal data: redactions of the file may be among it. */
const unredacted: Redact = (item) => item;

const redactedEntry = (entry: Entry, redact: Redact): Entry => {
  const item = redact(entry.item);
  if (item === entry.item) return entry;
  const names = Object.keys(entry.constant).filter((name) => name in item);
  const constant = Object.fromEntries(names.map((name) => [name, item[name]]));
  // A redaction voids an offer and ends an attempt, but is no news of what the table has.
  return { ...entry, item, constant, ...(isBeginning(entry.item) && { advancing: [] }) };
};

const needFaults = ({ need }: Entry, found: ReadonlyMap<string | undefined, Item | undefined>) => {
  if (!need) return [];
  const item = found.get(nameOf(need.key));
  const pointer = `/${need.member}`;
  if (!item) {
    const detail = `There is no ${need.what}, in the table or in the file.`;
    return [{ pointer, code: 'missing', detail } as const];
  }
  if (!need.begun || !isBeginning(item)) return [];
  const detail = `The ${need.what} is still ${item.status}, in the table and in the file.`;
  return [{ pointer, code: 'not_begun', detail } as const];
};

/** Why DynamoDB does not take an item. */
export const refused = (reason: string): Fault => ({
  pointer: '',
  code: 'refused',
  detail: `Cannot be stored: ${reason}`,
});

/** The members that never change and differ between a line and the table. */
const differences = (before: Item, { constant }: Entry, first: number | undefined): Fault[] => {
  const differing = Object.keys(constant).filter(
    (name) => !isDeepStrictEqual(before[name], constant[name]),
  );
  if (differing.includes('workspace')) {
    const detail = first
      ? `Line ${first} has this id in another workspace.`
      : 'This id belongs to another workspace.';
    return [{ pointer: '/id', code: 'exists_elsewhere', detail }];
  }
  return differing.map((name) => ({
    pointer: `/${name}`,
    code: 'exists_otherwise',
    detail: first
      ? `Line ${first} has the same id and another value, which stays.`
      : 'Exists already with another value, which stays.',
  }));
};

/**
 * Updates an item in its first status to that of the file, unless it has changed meanwhile. A token
 * begins without a revocation.
 */
const advanceItem = async (
  table: ImportTable,
  before: Item,
  { item, advancing }: Entry,
): Promise<'updated' | 'present'> => {
  if (item.type === 'TOKEN' && item.revoked && !before.revoked) {
    const { revoked, imported } = item;
    return (await table.replace(before, { ...before, revoked, imported })) ? 'updated' : 'present';
  }
  if (!advancing?.length || !isBeginning(before) || isBeginning(item)) return 'present';
  return (await table.advance(before, item, advancing)) ? 'updated' : 'present';
};

/** The redactions that concern what an import brings: those of the table, and those of its file. */
export class ImportRedactions {
  readonly #brought: Item[] = [];
  readonly #redactors = new Map<string, Promise<Redact>>();

  /** Adds a redaction of the file: before any line that it may concern is settled. */
  add(redaction: Item): void {
    this.#brought.push(redaction);
  }

  /** What the redactions of a workspace make of an item. */
  of(workspace: string): Promise<Redact> {
    const known = this.#redactors.get(workspace) ?? this.#read(workspace);
    this.#redactors.set(workspace, known);
    return known;
  }

  async #read(workspace: string): Promise<Redact> {
    return redactor([...(await readRedactions(workspace)), ...this.#brought]);
  }
}
