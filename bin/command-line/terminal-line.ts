/** The last line of a terminal, which is written over. Elsewhere nothing is shown. */
export class TerminalLine {
  readonly #stream: NodeJS.WriteStream;
  #isShown = false;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  /** Writes a text in place of what the line shows, cut down to the width of the terminal. */
  show(text: string): void {
    const { isTTY, columns } = this.#stream;
    if (!isTTY) return;
    this.#isShown = true;
    // Some terminals, such as one of a container, have 0 columns: they do not report their width.
    this.#stream.write(`\r\x1b[K${text.slice(0, columns || 80)}`);
  }

  /** Clears the line, for whatever is printed next. */
  clear(): void {
    if (this.#isShown) this.#stream.write('\r\x1b[K');
    this.#isShown = false;
  }
}
