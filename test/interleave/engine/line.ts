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

const isUnderWay = (name: string) => name.endsWith('~');

/**
 * The default next step: the task of the last step goes on, then the others, then time, then late
 * arrivals.
 */
export const goOn = (options: readonly Option[], task: string | undefined): Option | undefined => {
  const rank = ({ name, task: own }: Option) =>
    isUnderWay(name) ? 3 : name === 'time' ? 2 : own === task ? 0 : 1;
  return [...options].sort((a, b) => rank(a) - rank(b))[0];
};

/** Follows a line, and then goes on. */
export class Follower {
  /** Steps of the line that have not been taken. */
  readonly left: Chosen[];
  readonly #isStrict: boolean;
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
    const chosen =
      this.left.shift() ?? (usual && { name: usual.name, ending: usual.endings[0] as CallEnding });
    this.#task = options.find(({ name }) => name === chosen?.name)?.task ?? this.#task;
    return chosen;
  };
}
