/** Drawing more often only flickers. */
const intervalMs = 100;
const clearLine = '\r\x1b[K';

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
  const { stderr } = process;
  let [count, drawnMs] = [0, 0];
  try {
    for await (const element of elements) {
      count += 1;
      if (stderr.isTTY && Date.now() - drawnMs >= intervalMs) {
        drawnMs = Date.now();
        stderr.write(`${clearLine}${count.toLocaleString('en')} ${noun}`);
      }
      yield element;
    }
  } finally {
    if (drawnMs > 0) stderr.write(clearLine);
  }
}
