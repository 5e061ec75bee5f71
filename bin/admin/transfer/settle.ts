import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../../functions/domain/problem.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Creation, nameOf } from '../table/bulk.ts';
import { DiskMap } from '../table/disk-map.ts';
import { isKey } from '../table/item-limits.ts';
import { wasRemoved } from '../table/managers.ts';
import { needOf, rankOf } from '../table/needs.ts';
import { type Redact, readRedactions, redactor } from '../table/redactions.ts';
import type { Item } from '../table/scan.ts';
import { isBeginning } from '../table/statuses.ts';
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
  /** The redactions of the file: each is added before any line that it may concern is settled. */
  readonly redactions: Item[];
  /** What those and the ones in the table make of an item, by the workspace. */
  readonly redactors: Map<string, Promise<Redact>>;
}

/** Settles batches of lines, each after the earlier batches that name one of its items too. */
export const settler = (table: ImportTable) => {
  const settlement: Settlement = {
    table,
    firstLines: new DiskMap(),
    foreign: new DiskMap(),
    redactions: [],
    redactors: new Map(),
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
  const { table } = settlement;
  const needs = batch.flatMap(({ entry }) => {
    const need = 'need' in entry ? entry.need : undefined;
    return need ? [need.key, need.owner ?? []].flat() : [];
  });
  const found = new Map(
    (await table.readAll(needs)).map((item) => [item && nameOf(item), item] as const),
  );
  const prepared = await Promise.all(batch.map((line) => prepare(settlement, line, found)));
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

/** The line with its item redacted; or its result, if it is bad or changes nothing. */
const prepare = async (
  settlement: Settlement,
  { line, entry }: ReadLine,
  found: Found,
): Promise<ReadyLine | SettledLine> => {
  const { table, redactions, redactors } = settlement;
  const faults = Array.isArray(entry) ? entry : needFaults(settlement, entry, found);
  if (faults.length > 0 || Array.isArray(entry)) return { line, result: [...faults] };
  const { item, need } = entry;
  // A manager who was removed later is as good as there already.
  if (item.type === 'MANAGER' && wasRemoved(item, await table.readPartition(String(item.pk)))) {
    return { line, result: 'present' };
  }
  // An approval names no workspace; the payment request that it needs does.
  const owner = item.workspace ? item : need && found.get(nameOf(need.key));
  if (!rankOf(item) || !owner) return { line, entry, redact: unredacted };
  const workspace = String(owner.workspace);
  const redacting =
    redactors.get(workspace) ??
    readRedactions(workspace).then((known) =>
      redactor([...known, ...redactions.filter((each) => each.workspace === workspace)]),
    );
  redactors.set(workspace, redacting);
  const redact = await redacting;
  return { line, entry: redactedEntry(entry, redact), redact };
};

/** The result of a line, of whose item the table says whether it was created. */
const settle = async (
  { table, firstLines, foreign, redactions }: Settlement,
  { line, entry, redact }: ReadyLine,
  creation: Creation,
): Promise<SettledLine['result']> => {
  if (creation.result === 'refused') return [refused(creation.reason)];
  const { item } = entry;
  if (item.type === 'REDACTION') redactions.push(item);
  const before = creation.result === 'present' ? creation.before : undefined;
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
