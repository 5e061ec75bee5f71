import { inspect } from '../../bin/admin/table/invariants.ts';
import { readPartition } from '../../bin/admin/table/scan.ts';
import { putAll } from '../../bin/testing/put-all.ts';
import type { Services } from './calls.ts';
import type { Case, Item, Prepared } from './case.ts';
import type { Try } from './contract-model.ts';
import type { Programs } from './programs.ts';
import { Schedule } from './schedule.ts';
import type { Choose, Step } from './steps.ts';

/** What came of one schedule. */
export interface Run {
  readonly steps: readonly Step[];
  /** Undefined if it was given up, because it repeats another. */
  readonly violations: readonly string[] | undefined;
  readonly tries: readonly Try[];
  /** What is in the table at the end. */
  readonly items: readonly Item[];
  /** The same for schedules that end alike: answers and items, without random identifiers. */
  readonly ending: string;
}

/** Runs one schedule of a case with a tenant of its own, and looks at what is left. */
export const runSchedule = async (
  programs: Programs,
  services: Services,
  { prepare, ...rules }: Case,
  choose: Choose,
): Promise<Run> => {
  const schedule = new Schedule(programs, services, rules);
  const prepared = prepare(schedule.startMs);
  await putAll(prepared.items);
  const { steps } = schedule;
  if (!(await schedule.run(prepared.tasks, choose))) {
    return { steps, violations: undefined, tries: [], items: [], ending: '' };
  }
  if (prepared.last) await schedule.finish(prepared.last, prepared.leaseMs ?? 0);
  const { messages, mails, events, partitions } = services;
  for (const { pk } of prepared.items) partitions.add(String(pk));
  const items = await itemsOf(partitions);
  const violations = [
    ...prepared.verdict({ items, messages, mails, events, steps }),
    ...broken(items),
  ];
  const { tries } = prepared;
  return { steps, violations, tries, items, ending: endingOf(prepared, items) };
};

const itemsOf = async (partitions: ReadonlySet<string>): Promise<Item[]> =>
  (await Promise.all([...partitions].sort().map((pk) => readPartition(pk)))).flat();

/** The operators' own invariants: nothing is half-written. */
const broken = (items: readonly Item[]): string[] => {
  const partitions = Map.groupBy(items, ({ pk }) => pk);
  const findings = [...partitions.values()].map((each) => inspect(each, new Date()));
  const missing = findings
    .flatMap(({ expectations }) => expectations)
    .filter(({ key }) => !items.some(({ pk, sk }) => pk === key.pk && sk === key.sk));
  return [
    ...findings.flatMap(({ violations }) => violations),
    ...missing.map((each) => each.violation),
  ].map(({ code, detail }) => `${code}: ${detail}`);
};

const endingOf = ({ tries }: Prepared, items: readonly Item[]): string => {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `#${names.size}`;
    names.set(id, name);
    return name;
  };
  const answers = [...tries]
    .sort((a, b) => (a.letter < b.letter ? -1 : 1))
    .map(({ letter, status, text }) => [letter, status, text]);
  // The last client gets the answer that the claim holds.
  const left = items
    .toSorted(byKind)
    .map(({ result: _, validation: __, expires: ___, ...item }) => item);
  return JSON.stringify([answers, left])
    .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{64}|[0-9a-f-]{36}/g, nameOf)
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?|\d{13}/g, 'time');
};

/** Keys hold random hashes; the identifiers in sort keys are in the order of the clocks. */
const byKind = (a: Item, b: Item): number => (kindOf(a) < kindOf(b) ? -1 : 1);
const kindOf = ({ type, key, sk }: Item) => `${type} ${key} ${sk}`;
