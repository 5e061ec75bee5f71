import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../../functions/domain/problem.ts';
import { isBeginning } from '../table/beginnings.ts';
import { nameOf } from '../table/bulk.ts';
import { needOf } from '../table/needs.ts';
import type { Item } from '../table/scan.ts';
import type { Entry } from './entry.ts';
import type { ImportTable } from './foresight.ts';
import type { Ledger } from './ledger.ts';

/** A line of the file: what it stands for, or what is wrong with it. */
export interface Row {
  readonly line: number;
  readonly entry: Entry | Fault[];
}

/** What became of a line. */
export interface SettledRow {
  readonly line: number;
  readonly outcome: 'created' | 'updated' | 'present' | Fault[];
}

/** Settles batches of rows, each after the earlier batches that name one of its items too. */
export const settler = (table: ImportTable, ledger: Ledger) => {
  const underWay = new Map<string, Promise<unknown>>();
  return async (batch: readonly Row[]): Promise<SettledRow[]> => {
    const names = batch.flatMap(({ entry }) => (Array.isArray(entry) ? [] : nameOf(entry.item)));
    const earlier = names.flatMap((name) => underWay.get(name) ?? []);
    const settling = Promise.all(earlier).then(() => settle(table, ledger, batch));
    for (const name of names) underWay.set(name, settling);
    const settled = await settling;
    for (const name of names) if (underWay.get(name) === settling) underWay.delete(name);
    return settled;
  };
};

const settle = async (
  table: ImportTable,
  ledger: Ledger,
  batch: readonly Row[],
): Promise<SettledRow[]> => {
  const outcomes = new Map<number, SettledRow['outcome']>();
  const ready = await withoutNeed(table, batch, outcomes);
  const creations = await table.create(
    ready.map(({ entry }) => entry.item),
    (item) => (item.type === 'DELIVERY' ? needOf(item)?.key : undefined),
  );
  const settling = creations.map(async (creation, index) => {
    const { line, entry } = ready[index] as ReadyRow;
    if (creation.outcome === 'refused') {
      outcomes.set(line, [refused(creation.reason)]);
      return;
    }
    const { item } = entry;
    const before = creation.outcome === 'present' ? creation.before : undefined;
    const first = before && ledger.firstLine(item);
    const faults = before ? differences(before, entry, first) : [];
    if (faults.length > 0) outcomes.set(line, faults);
    else if (first) outcomes.set(line, 'present');
    else {
      outcomes.set(line, before ? await goOn(table, before, entry) : 'created');
      ledger.add(item, line);
    }
  });
  await Promise.all(settling);
  return batch.map(({ line }) => ({ line, outcome: outcomes.get(line) ?? [] }));
};

interface ReadyRow {
  readonly line: number;
  readonly entry: Entry;
}

/** The rows that are not bad, and whose need, if they have one, is met. */
const withoutNeed = async (
  table: ImportTable,
  batch: readonly Row[],
  outcomes: Map<number, SettledRow['outcome']>,
): Promise<ReadyRow[]> => {
  const needs = batch.flatMap(({ entry }) => ('need' in entry && entry.need ? entry.need.key : []));
  const found = new Map(
    (await table.read(needs)).map((item) => [item && nameOf(item), item] as const),
  );
  return batch.flatMap(({ line, entry }) => {
    const faults = Array.isArray(entry) ? entry : unmet(entry, found);
    if (faults.length > 0 || Array.isArray(entry)) {
      outcomes.set(line, [...faults]);
      return [];
    }
    return [{ line, entry }];
  });
};

const unmet = ({ need }: Entry, found: ReadonlyMap<string | undefined, Item | undefined>) => {
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

/** What a line says otherwise than the table, of what never changes. */
const differences = (before: Item, { settled }: Entry, first: number | undefined): Fault[] => {
  const differing = Object.keys(settled).filter(
    (name) => !isDeepStrictEqual(before[name], settled[name]),
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

/** Brings an item that is as it began to where the file has it, unless it has changed meanwhile. */
const goOn = async (
  table: ImportTable,
  before: Item,
  { item, advancing }: Entry,
): Promise<'updated' | 'present'> => {
  if (!advancing || !isBeginning(before) || isBeginning(item)) return 'present';
  return (await table.advance(before, item, advancing)) ? 'updated' : 'present';
};
