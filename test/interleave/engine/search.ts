/**
 * Searches all schedules depth first, by running them again from their beginning.
 *
 * Two steps are independent if they touch no item in common, or only read it; then their order
 * changes neither the table, nor a response, nor (an invocation's time depends on its own past)
 * what follows. So of all schedules that differ only in the order of independent steps, one is
 * enough: they end in the same table, with the same responses. This is dynamic partial-order
 * reduction with source sets and sleep sets (Abdulla, Aronsson, Jonsson and Sagonas, "Optimal
 * Dynamic Partial Order Reduction", POPL 2014):
 *
 * - After each schedule, wherever a step could also have come before an earlier step that it
 *   depends on, the search will go back there and take the one that leads to the other order.
 * - What was searched from a node need not be taken again below it until a step that depends on it
 *   has been taken: until then it would only be the same steps in another order.
 *
 * What makes it sound here, besides:
 *
 * - All endings of a call are searched wherever the call is. An ending other than `done` touches
 *   nothing in the table, so it is independent of the other tasks. At most `faults` of them are in
 *   a schedule: a schedule without any is among those searched, and from each of its steps the
 *   search goes on with every other ending.
 * - Steps of one task depend on each other if one made the other possible, or if one is not `done`.
 *   Two that wait together (reads with Promise.all) commute like those of two tasks, because the
 *   code goes on only when it has both.
 * - The step `time` depends on all others: it changes every clock.
 * - A condition that fails only reads, but counts as a write: more dependent than needed is sound.
 * - Messages and events touch no item. Their order is not observed: only which of them there are.
 *   Mails are like one item, because the first of them starts the task that waits for it.
 * - Which response came before which request is not the same in two such schedules. So `ordersOf`
 *   gives the orders in which the tasks are as much one after another as they can be, and each is
 *   verified.
 *
 * `interleave.test.ts` compares it with the search of all schedules.
 */
import { conflict } from './calls.ts';
import { goOn } from './line.ts';
import type { CallEnding, Choose, Option, Step } from './steps.ts';

/** A node of the search: a state, by the steps to it, and what was and will be tried from there. */
class Node {
  /** Those of the schedule that runs: each has a tenant of its own, and so other footprints. */
  options: readonly Option[];
  /** What has been searched from here, or need not be. */
  readonly asleep: Set<string>;
  readonly wanted: Set<string>;
  #name: string;
  #ending = 0;

  constructor(options: readonly Option[], asleep: readonly string[], wanted: readonly Option[]) {
    this.options = options;
    this.asleep = new Set(asleep);
    this.wanted = new Set(wanted.map(({ name }) => name));
    this.#name = wanted[0]?.name ?? '';
  }

  get option(): Option {
    const option = this.options.find(({ name }) => name === this.#name);
    if (!option)
      throw new Error(`The same steps have led elsewhere: ${this.#name} is not possible.`);
    return option;
  }

  get chosen(): Pick<Step, 'name' | 'ending'> {
    return { name: this.#name, ending: this.option.endings[this.#ending] as CallEnding };
  }

  /** Goes on to what is to be tried next from here. @returns whether there is any */
  advance(): boolean {
    this.#ending += 1;
    if (this.#ending < this.option.endings.length) return true;
    this.asleep.add(this.#name);
    const next = [...this.wanted].find((name) => !this.asleep.has(name));
    this.#ending = 0;
    this.#name = next ?? this.#name;
    return next !== undefined;
  }
}

/**
 * Yields the run of each schedule, also of one that is given up because it repeats another.
 *
 * @param isReduced whether schedules that differ only in the order of independent steps are one
 */
export async function* search<Run extends { readonly steps: readonly Step[] }>(
  run: (choose: Choose) => Promise<Run>,
  isReduced: boolean,
): AsyncGenerator<Run> {
  const path: Node[] = [];
  do {
    let depth = 0;
    const choose: Choose = (options) => {
      const node = path[depth] ?? newNode(path, options, isReduced);
      if (!node) return undefined;
      node.options = options;
      path[depth] = node;
      depth += 1;
      return node.chosen;
    };
    const result = await run(choose);
    if (isReduced) addRaces(path, result.steps);
    yield result;
    while (path.length > 0 && !path.at(-1)?.advance()) path.pop();
  } while (path.length > 0);
}

const newNode = (
  path: readonly Node[],
  options: readonly Option[],
  isReduced: boolean,
): Node | undefined => {
  const last = path.at(-1);
  const asleep = last && isReduced ? stillAsleep(last, options) : [];
  const possible = options.filter(({ name }) => !asleep.includes(name));
  const first = goOn(possible, last?.option.task);
  if (!first) return undefined;
  const others = isReduced ? [] : possible.filter((option) => option !== first);
  return new Node(options, asleep, [first, ...others]);
};

const stillAsleep = (node: Node, options: readonly Option[]): string[] => {
  const { name, ending } = node.chosen;
  const footprint = ending === 'done' ? node.option.footprint : [];
  const step = { task: node.option.task, ending, footprint };
  return options
    .filter((each) => node.asleep.has(each.name) && each.name !== name)
    .filter((each) => !areDependent(step, { ...each, ending: 'done' }))
    .map((each) => each.name);
};

type Dependable = Pick<Step, 'task' | 'ending' | 'footprint'>;

const areDependent = (a: Dependable, b: Dependable): boolean =>
  conflict(a.footprint, b.footprint) ||
  (a.task === b.task && (a.ending !== 'done' || b.ending !== 'done'));

/** Whether a step enabled another: its function's next call, or that of a task that it started. */
const isCause = (at: number, step: Step, other: Step): boolean =>
  step.starts.includes(other.task) ||
  (other.possibleSince > at &&
    [step.name, other.name, other.task].some((each) => each === 'time' || each === step.task));

/** Makes the search try the other order of each two steps that could have come in it. */
const addRaces = (path: readonly Node[], steps: readonly Step[]): void => {
  const before = happensBefore(steps);
  for (const [later, step] of steps.entries()) {
    for (let earlier = later - 1; earlier >= 0; earlier--) {
      const isRace =
        !isCause(earlier, steps[earlier] as Step, step) &&
        areDependent(steps[earlier] as Step, step) &&
        !steps.some((_, between) => before[earlier]?.has(between) && before[between]?.has(later));
      if (!isRace) continue;
      // The steps that need not come after the earlier one, up to the later one: which can begin?
      const all = [...steps.keys()].filter(
        (at) => at === later || (at > earlier && at < later && !before[earlier]?.has(at)),
      );
      const first = all
        .filter((at) => !all.some((other) => before[other]?.has(at)))
        .map((at) => steps[at]?.name ?? '');
      const { wanted } = path[earlier] as Node;
      if (!first.some((name) => wanted.has(name))) wanted.add(first[0] as string);
    }
  }
};

/** For each step, those that come after it in every equivalent order. */
const happensBefore = (steps: readonly Step[]): Set<number>[] => {
  const after = steps.map(() => new Set<number>());
  for (let earlier = steps.length - 1; earlier >= 0; earlier--) {
    const step = steps[earlier] as Step;
    for (let later = earlier + 1; later < steps.length; later++) {
      const other = steps[later] as Step;
      if (!isCause(earlier, step, other) && !areDependent(step, other)) continue;
      after[earlier]?.add(later);
      for (const each of after[later] ?? []) after[earlier]?.add(each);
    }
  }
  return after;
};

/**
 * Equivalent orders of the steps: for each order of these tasks, the one in which the first task
 * runs as early as it can, then the second, and so on.
 */
export const ordersOf = (steps: readonly Step[], tasks: readonly string[]): Step[][] => {
  const after = happensBefore(steps);
  return permutationsOf(tasks).map((order) => {
    const left = new Set(steps.keys());
    const rank = (at: number) => order.indexOf(steps[at]?.task ?? '');
    return steps.map(() => {
      const ready = [...left].filter((at) => ![...left].some((other) => after[other]?.has(at)));
      const [next = 0] = ready.sort((a, b) => rank(a) - rank(b) || a - b);
      left.delete(next);
      return steps[next] as Step;
    });
  });
};

/** All orders of these. */
export const permutationsOf = <Each>(items: readonly Each[]): Each[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((first, index) =>
        permutationsOf(items.toSpliced(index, 1)).map((rest) => [first, ...rest]),
      );
