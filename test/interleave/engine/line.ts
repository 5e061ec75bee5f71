/** A schedule as a line of text: the name of a case, and its steps. */
import type { CallEnding, Choose, Option, Step } from './steps.ts';

type Chosen = Pick<Step, 'name' | 'ending'>;

/** `resend A1 A2 A3:killed A3~ B1`: an ending is named if it is not `done`. */
export const lineOf = (caseName: string, steps: readonly Chosen[]): string =>
  [caseName, ...steps.map(textOf)].join(' ');

const textOf = ({ name, ending }: Chosen) => (ending === 'done' ? name : `${name}:${ending}`);

export const readLine = (line: string): { caseName: string; steps: Chosen[] } => {
  const [caseName = '', ...steps] = line.trim().split(/\s+/);
  return {
    caseName,
    steps: steps.map((step) => {
      const [name = '', ending = 'done'] = step.split(':');
      return { name, ending: ending as CallEnding };
    }),
  };
};

const isInFlight = (name: string) => name.endsWith('~');

/**
 * The default next step: the task of the last step goes on, then the others, then time, then late
 * arrivals.
 */
export const goOn = (options: readonly Option[], task: string | undefined): Option | undefined => {
  const rank = ({ name, task: own }: Option) =>
    isInFlight(name) ? 3 : name === 'time' ? 2 : own === task ? 0 : 1;
  return [...options].sort((a, b) => rank(a) - rank(b))[0];
};

/** Follows a line, and then goes on. */
export class Follower {
  /** The number of steps up to the last one that is not the default. */
  needed = 0;
  /** Steps of the line that have not been taken. */
  readonly left: Chosen[];
  readonly #isStrict: boolean;
  #taken = 0;
  #task: string | undefined;

  /** @param isStrict whether a step that is not possible is an error, and not left out */
  constructor(steps: readonly Chosen[], isStrict: boolean) {
    this.left = [...steps];
    this.#isStrict = isStrict;
  }

  readonly choose: Choose = (options) => {
    const isPossible = ({ name, ending }: Chosen) =>
      options.some((each) => each.name === name && each.endings.includes(ending));
    while (!this.#isStrict && this.left[0] && !isPossible(this.left[0])) this.left.shift();
    const usual = goOn(options, this.#task);
    const usually = usual && { name: usual.name, ending: usual.endings[0] as CallEnding };
    const chosen = this.left.shift() ?? usually;
    const option = options.find(({ name }) => name === chosen?.name);
    if (option) {
      this.#taken += 1;
      this.#task = option.task;
    }
    const isUsual = chosen?.name === usually?.name && chosen?.ending === usually?.ending;
    if (!isUsual) this.needed = this.#taken;
    return chosen;
  };
}

/** How complex a schedule is: its faults, then its length. */
const complexity = (follower: Follower, steps: readonly Chosen[]): number[] => [
  steps.filter(({ ending, name }) => ending !== 'done' && !isInFlight(name)).length,
  follower.needed,
  steps.length,
];

const isLess = (some: readonly number[], others: readonly number[]): boolean => {
  const at = some.findIndex((number, index) => number !== others[index]);
  return at >= 0 && (some[at] as number) < (others[at] as number);
};

/**
 * The simplest schedule that can be found, from one that leads to a violation, by leaving out a
 * step, or what goes wrong with it. Where it ends, the default goes on.
 */
export const shrink = async (
  steps: readonly Chosen[],
  run: (choose: Choose) => Promise<{ readonly steps: readonly Step[]; readonly isWrong: boolean }>,
): Promise<Chosen[]> => {
  const attempt = async (wanted: readonly Chosen[]) => {
    const follower = new Follower(wanted, false);
    const { steps, isWrong } = await run(follower.choose);
    return { steps: steps.slice(0, follower.needed), all: complexity(follower, steps), isWrong };
  };
  let best = await attempt(steps);
  for (let at = 0; at < best.steps.length; ) {
    const others = best.steps.toSpliced(at, 1);
    const { name = '' } = best.steps[at] ?? {};
    const candidates = [
      others,
      best.steps.with(at, { ...(best.steps[at] as Step), ending: 'done' }),
      ...[best.steps.findLastIndex((step, index) => index < at && step.name[0] === name[0])]
        .filter((before) => before >= 0 && before < at - 1)
        .map((before) => others.toSpliced(before + 1, 0, best.steps[at] as Step)),
    ];
    let isBetter = false;
    for (const candidate of candidates) {
      const result = await attempt(candidate);
      isBetter = result.isWrong && isLess(result.all, best.all);
      if (isBetter) {
        best = result;
        break;
      }
    }
    at = isBetter ? 0 : at + 1;
  }
  return best.steps;
};
