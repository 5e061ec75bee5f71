/** So many lines about faults or findings are printed; of a wrong file every line is bad. */
export const printedMost = 100;

/** Prints a result: as JSON on one line for scripts, or as text. */
export const print = (json: boolean | undefined, value: unknown, people: () => string): void => {
  console.log(json ? JSON.stringify(value) : people());
};

/** Rows under headings, in columns as wide as they need to be. */
export const table = (headings: readonly string[], rows: readonly unknown[][]): string =>
  aligned([headings, ...rows]);

/** @param widths of the rows printed before these; columns become wider where they need to */
export const aligned = (rows: readonly (readonly unknown[])[], widths: number[] = []): string => {
  const lines = rows.map((cells) => cells.map(plain));
  for (const cells of lines) {
    for (const [column, { length }] of cells.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, length);
    }
  }
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** One fact a line, its name before it. */
export const facts = (values: Readonly<Record<string, unknown>>): string => {
  const width = Math.max(...Object.keys(values).map(({ length }) => length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`.trimEnd())
    .join('\n');
};

/** `1 manager`, `2 managers`, `1,000 sandboxes`. */
export const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : noun.endsWith('x') ? 'es' : 's'}`;

/** Control characters in a text could move the cursor of the terminal. */
const plain = (value: unknown): string => {
  const text = typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '');
  return text.replace(/\p{Cc}/gu, ' ');
};
