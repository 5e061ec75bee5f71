import { Services } from './calls.ts';
import type { Case, Platform, Received } from './case.ts';
import { Schedule } from './schedule.ts';
import type { Choose, Step } from './steps.ts';

/** What came of one schedule. */
export interface Run {
  readonly steps: readonly Step[];
  /** Undefined if it was given up, because it repeats another. */
  readonly violations: readonly string[] | undefined;
  readonly tries: readonly Received[];
  /** The same for schedules that end alike: responses and items, without random identifiers. */
  readonly ending: string;
}

/** Runs one schedule of a case with items of its own, and looks at what is left. */
export const runSchedule = async (
  platform: Platform,
  { prepare, ...rules }: Case,
  choose: Choose,
): Promise<Run> => {
  const services = new Services(platform.dynamodb);
  const schedule = new Schedule(platform.programs, services, rules);
  const prepared = prepare(schedule.startMs);
  await platform.put(prepared.items);
  const { steps } = schedule;
  if (!(await schedule.run(prepared.tasks, choose))) {
    return { steps, violations: undefined, tries: [], ending: '' };
  }
  if (prepared.last) await schedule.finish(prepared.last, prepared.leaseMs ?? 0);
  const { messages, mails, events, partitions } = services;
  for (const { pk } of prepared.items) partitions.add(String(pk));
  const left = [...partitions].sort().map((pk) => platform.readPartition(pk));
  const items = (await Promise.all(left)).flat();
  const violations = prepared.verdict({ items, messages, mails, events, steps });
  const { tries = [] } = prepared;
  return { steps, violations, tries, ending: endingOf(tries, platform.comparable(items)) };
};

const endingOf = (tries: readonly Received[], left: unknown): string => {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `#${names.size}`;
    names.set(id, name);
    return name;
  };
  const received = [...tries]
    .sort((a, b) => (a.letter < b.letter ? -1 : 1))
    .map(({ letter, status, text }) => [letter, status, text]);
  return JSON.stringify([received, left])
    .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{64}|[0-9a-f-]{36}/g, nameOf)
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?|\d{13}/g, 'time');
};
