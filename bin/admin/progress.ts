const barWidth = 30;
/** Drawing more often only flickers. */
const intervalMs = 100;

/**
 * Shows on a terminal how far something has come, and nothing where no person looks on. It writes to
 * stderr: stdout is for the result.
 */
export class Progress {
  readonly #noun: string;
  readonly #startedMs = Date.now();
  #drawnMs = 0;

  /** @param noun what is counted, in the plural */
  constructor(noun: string) {
    this.#noun = noun;
  }

  /** @param share from 0 to 1, where the end is known */
  show(done: number, share?: number): void {
    const now = Date.now();
    if (!process.stderr.isTTY || now - this.#drawnMs < intervalMs) return;
    this.#drawnMs = now;
    const rate = Math.round(done / Math.max(0.1, (now - this.#startedMs) / 1000));
    const counted = `${done.toLocaleString('en')} ${this.#noun}, ${rate.toLocaleString('en')} a second`;
    process.stderr.write(`\r\x1b[K${share === undefined ? '' : bar(share)}${counted}`);
  }

  /** Clears the line, for whatever is printed next. */
  clear(): void {
    if (process.stderr.isTTY && this.#drawnMs > 0) process.stderr.write('\r\x1b[K');
  }
}

const bar = (share: number): string => {
  const filled = Math.round(barWidth * Math.min(1, share));
  const percent = `${Math.floor(100 * Math.min(1, share))} %`.padStart(5);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]${percent}  `;
};
