import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../../functions/domain/problem.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Creation, nameOf } from '../table/bulk.ts';
import { isCompanion } from '../table/companions.ts';
import { DiskMap } from '../table/disk-map.ts';
import { isKey } from '../table/item-limits.ts';
import { wasRemoved } from '../table/managers.ts';
import { needOf, rankOf } from '../table/needs.ts';
import { isUnredacted, type Redact, redactorNow } from '../table/redactions.ts';
import type { Item } from '../table/scan.ts';
import { isBeginning } from '../table/statuses.ts';
import { addTo, type Tally } from '../terminal/tally.ts';
import { type Entry, refused } from './entry.ts';
import type { ImportTable } from './import-table.ts';

/** A line of the file: its entry, or its faults. */
export interface ReadLine {
  readonly line: number;
  readonly entry: Entry | Fault[];
}

/** The result of a line: what became of it, or everything that is wrong with it. */
export interface SettledLine {
  readonly line: number;
  readonly result: 'created' | 'updated' | 'present' | Fault[];
}

/** What the lines of an import are settled with. */
interface Settlement {
  readonly table: ImportTable;
  /** By the key of an item, the line that named it first and was not bad. */
  readonly firstLines: DiskMap<number>;
  /** The keys of items that a line has in another workspace than the table. */
  readonly foreign: DiskMap<true>;
  readonly touched: Touched;
}

/** What the lines of an import have read of redactions. */
export interface Touched {
  /** By the workspace, how many redactions were recorded when they were read first. */
  readonly recorded: Map<string, number>;
  /** The items of lines that are still to be redacted in the table, by type. */
  readonly found: Tally;
}

/** Nothing yet. */
export const newTouched = (): Touched => ({ recorded: new Map(), found: {} });

/**
 * Settles batches of lines, each after the earlier batches that name one of its items too.
 *
 * @param touched is filled
 */
export const settler = (table: ImportTable, touched = newTouched()) => {
  const settlement: Settlement = {
    table,
    firstLines: new DiskMap(),
    foreign: new DiskMap(),
    touched,
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

const settleBatch = async (
  settlement: Settlement,
  batch: readonly ReadLine[],
): Promise<SettledLine[]> => {
  const { table, touched } = settlement;
  const needs = batch.flatMap(({ entry }) => {
    const need = 'need' in entry ? entry.need : undefined;
    return need ? [need.key, need.owner ?? []].flat() : [];
  });
  const found = new Map(
    (await table.readAll(needs)).map((item) => [item && nameOf(item), item] as const),
  );
  // The redactions of the file are in the table before any line that they may name is settled.
  const redact = await redactorNow(
    batch.map(({ entry }) => workspaceOf(entry, found)),
    async (workspace) => {
      const redactions = await table.readBeside(keys.redaction(workspace, ''));
      const { recorded } = touched;
      recorded.set(workspace, recorded.get(workspace) ?? redactions.length);
      return redactions;
    },
  );
  const prepared = await Promise.all(
    batch.map((line) => {
      const workspace = workspaceOf(line.entry, found);
      return prepare(settlement, line, found, (item) => redact(item, workspace));
    }),
  );
  const ready = prepared.filter((line) => 'entry' in line);
  const creations = await table.createAll(
    ready.map(({ entry }) => entry.item),
    (item) => (item.type === 'DELIVERY' ? needOf(item)?.key : undefined),
  );
  const settling = ready.map(async (line, index): Promise<SettledLine> => {
    const result = await settle(settlement, line, creations[index] as Creation);
    return { line: line.line, result };
  });
  const settled = [
    ...prepared.filter((line) => 'result' in line),
    ...(await Promise.all(settling)),
  ];
  return settled.sort((one, other) => one.line - other.line);
};

/** A line whose item can be created. */
interface ReadyLine {
  readonly line: number;
  readonly entry: Entry;
  readonly redact: Redact;
}

type Found = ReadonlyMap<string | undefined, Item | undefined>;

/**
 * The workspace whose redactions may name the item of a line; undefined if it has no personal data.
 */
const workspaceOf = (entry: ReadLine['entry'], found: Found): unknown => {
  if (Array.isArray(entry) || !rankOf(entry.item)) return undefined;
  const { item, need } = entry;
  // An approval names no workspace; the payment request that it needs does.
  return item.workspace ?? (need && found.get(nameOf(need.key))?.workspace);
};

/** The line with its item redacted; or its result, if it is bad or changes nothing. */
const prepare = async (
  settlement: Settlement,
  { line, entry }: ReadLine,
  found: Found,
  redact: Redact,
): Promise<ReadyLine | SettledLine> => {
  const { table } = settlement;
  const faults = Array.isArray(entry) ? entry : needFaults(settlement, entry, found);
  if (faults.length > 0 || Array.isArray(entry)) return { line, result: [...faults] };
  const { item } = entry;
  // A manager who was removed later is as good as there already.
  if (
    item.type === 'MANAGER' &&
    wasRemoved(item, await table.readBeside(keys.act(String(item.pk), '')))
  ) {
    return { line, result: 'present' };
  }
  return { line, entry: redactedEntry(entry, redact), redact };
};

/** The result of a line, of whose item the table says whether it was created. */
const settle = async (
  { table, firstLines, foreign, touched }: Settlement,
  { line, entry, redact }: ReadyLine,
  creation: Creation,
): Promise<SettledLine['result']> => {
  if (creation.result === 'refused') return [refused(creation.reason)];
  const { item } = entry;
  const before = creation.result === 'present' ? creation.before : undefined;
  if (before && isUnredacted(before, redact)) addTo(touched.found, before.type);
  const first = before && firstLines.get(item);
  const faults = before ? differences(redact(before), entry, first) : [];
  if (!first && faults.some(({ code }) => code === 'exists_elsewhere')) foreign.set(item, true);
  if (faults.length > 0) return faults;
  if (first) return 'present';
  const result = before ? await advanceItem(table, before, entry) : 'created';
  if (item.what === 'manager removed') await removeManager(table, item);
  firstLines.setIfMissing(item, line);
  return result;
};

/** Removes the manager of whom an act says it, unless added again since. */
const removeManager = async (table: ImportTable, act: Item): Promise<void> => {
  const key = keys.manager(String(act.account), String(act.manager));
  const [manager] = isKey(key) ? await table.readAll([key]) : [];
  if (manager && wasRemoved(manager, [act])) await table.replace(manager, undefined);
};

const redactedEntry = (entry: Entry, redact: Redact): Entry => {
  const item = redact(entry.item);
  if (item === entry.item) return entry;
  const names = Object.keys(entry.constant).filter((name) => name in item);
  const constant = Object.fromEntries(names.map((name) => [name, item[name]]));
  // A redaction voids an offer and ends an attempt, but is no news of what the table has.
  return { ...entry, item, constant, ...(isBeginning(entry.item) && { advancing: [] }) };
};

const needFaults = (settlement: Settlement, entry: Entry, found: Found): Fault[] => {
  const { need } = entry;
  if (!need) return [];
  const item = found.get(nameOf(need.key));
  const pointer = `/${need.member}`;
  if (!item) {
    const detail = `There is no ${need.what}, in the table or in the file.`;
    return [{ pointer, code: 'missing', detail }];
  }
  if (isOfAnother(settlement, entry.item, found.get(nameOf(need.owner ?? need.key)) ?? item)) {
    const detail = `The ${need.what} belongs to another workspace.`;
    return [{ pointer, code: 'exists_elsewhere', detail }];
  }
  if (!need.begun || !isBeginning(item)) return [];
  const detail = `The ${need.what} is still ${item.status}, in the table and in the file.`;
  return [{ pointer, code: 'not_begun', detail }];
};

/** An approval names no workspace: the lines of its payment request do. */
const isOfAnother = ({ firstLines, foreign }: Settlement, item: Item, owner: Item): boolean =>
  item.workspace && owner.workspace
    ? item.workspace !== owner.workspace
    : foreign.get(owner) === true && !firstLines.get(owner);

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
  // A sandbox that was imported as provisioning has got them here, at another time.
  if (isCompanion(before)) return [];
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
