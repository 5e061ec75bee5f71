/** What a run was started with. */
export interface RunOptions {
  readonly histories: number;
  readonly seed: number;
  readonly bug?: string;
  /** Whether to look for a shorter history than the one that was found. */
  readonly shrink: boolean;
}

/** Counts histories: those of the run, and after a violation those that look for a shorter one. */
export class HistoryCount {
  readonly #options: Pick<RunOptions, 'histories' | 'shrink'>;
  #run = 0;
  #shrinking: number | undefined;

  constructor(options: Pick<RunOptions, 'histories' | 'shrink'>) {
    this.#options = options;
  }

  /** @returns how many there were so far, and a sentence where something begins */
  add(violated: boolean): { readonly counted: string; readonly news?: string } {
    if (this.#shrinking !== undefined) {
      this.#shrinking += 1;
      return { counted: `${this.#shrinking} shorter histories` };
    }
    this.#run += 1;
    const counted = `${this.#run} of ${this.#options.histories} histories`;
    if (!violated) return { counted };
    const news = `History ${this.#run} leads to a violation.`;
    if (!this.#options.shrink) return { counted, news };
    this.#shrinking = 0;
    return { counted, news: `${news} Looking for the shortest history that does.` };
  }
}
