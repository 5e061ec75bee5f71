import { TerminalLine } from '../../terminal-line.ts';

const barWidth = 30;
/** Drawing more often only flickers. */
const intervalMs = 100;

/**
 * Shows progress on a terminal, and nothing elsewhere. It writes to stderr: stdout is for the
 * result.
 */
export class Progress {
  readonly #noun: string;
  readonly #startedMs = Date.now();
  readonly #line = new TerminalLine();
  #drawnMs = 0;

  /** @param noun what is counted, in the plural */
  constructor(noun: string) {
    this.#noun = noun;
  }

  /** @param total how many there are, where it is known */
  show(done: number, total?: number): void {
    const now = Date.now();
    if (now - this.#drawnMs < intervalMs) return;
    this.#drawnMs = now;
    const rate = Math.round(done / Math.max(0.1, (now - this.#startedMs) / 1000));
    const [share, of] = total ? [bar(done / total), ` of ${total.toLocaleString('en')}`] : ['', ''];
    this.#line.show(
      `${share}${done.toLocaleString('en')}${of} ${this.#noun}, ${rate.toLocaleString('en')} a second`,
    );
  }

  /** Clears the line, for whatever is printed next. */
  clear(): void {
    this.#line.clear();
  }
}

/**
 * Passes elements on, and shows how many have come.
 *
 * @param noun what is counted, in the plural
 */
export async function* counted<T>(noun: string, elements: AsyncIterable<T>): AsyncGenerator<T> {
  const progress = new Progress(noun);
  let count = 0;
  try {
    for await (const element of elements) {
      count += 1;
      progress.show(count);
      yield element;
    }
  } finally {
    progress.clear();
  }
}

const bar = (share: number): string => {
  const filled = Math.round(barWidth * Math.min(1, share));
  const percent = `${Math.floor(100 * Math.min(1, share))} %`.padStart(5);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]${percent}  `;
};
