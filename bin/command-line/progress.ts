import { TerminalLine } from './terminal-line.ts';

/** Drawing more often only flickers. */
const intervalMs = 100;

/**
 * Passes elements on, and counts them on a line of the terminal; elsewhere it shows nothing. It
 * writes to stderr: stdout is for the result.
 *
 * @param noun what is counted, in the plural
 */
export async function* countOnTerminal<T>(
  noun: string,
  elements: AsyncIterable<T>,
): AsyncGenerator<T> {
  const line = new TerminalLine();
  let [count, drawnMs] = [0, 0];
  try {
    for await (const element of elements) {
      count += 1;
      if (Date.now() - drawnMs >= intervalMs) {
        drawnMs = Date.now();
        line.show(`${count.toLocaleString('en')} ${noun}`);
      }
      yield element;
    }
  } finally {
    line.clear();
  }
}
