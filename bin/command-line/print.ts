/** The cells of a row by their headings, which are printed in capitals. */
export type Cells = Readonly<Record<string, unknown>>;

/** Prints a result: as JSON on one line for scripts, or as text. */
export const print = (json: boolean | undefined, value: unknown, people: () => string): void => {
  console.log(json ? JSON.stringify(value) : people());
};

/** Rows under their headings, in columns as wide as they need to be. */
export const columns = (rows: readonly Cells[]): string => {
  const headings = Object.keys(rows[0] ?? {}).map((name) => name.toUpperCase());
  const lines = [headings, ...rows.map((row) => Object.values(row).map(plain))];
  const widths = headings.map((_, column) =>
    lines.reduce((width, cells) => Math.max(width, cells[column]?.length ?? 0), 0),
  );
  const padded = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  return lines.map((cells) => cells.map(padded).join('  ').trimEnd()).join('\n');
};

/** Facts about something, and a table of what belongs to it. */
export const factsWith = (values: Cells, noun: string, rows: readonly Cells[]): string =>
  [
    facts(values),
    `${countOf(rows.length, noun)}, oldest first`,
    ...(rows.length > 0 ? [columns(rows)] : []),
  ].join('\n\n');

/** One fact a line, its name before it. */
export const facts = (values: Cells): string => {
  const width = Math.max(...Object.keys(values).map(({ length }) => length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`.trimEnd())
    .join('\n');
};

/** `1 manager`, `2 managers`, `1,000 sandboxes`. */
export const countOf = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : pluralOf(noun)}`;

/** `managers`, `sandboxes`. */
export const pluralOf = (noun: string): string => `${noun}${noun.endsWith('x') ? 'es' : 's'}`;

/** A value on one line. Control characters in a text could move the cursor of the terminal. */
export const plain = (value: unknown): string => {
  const text = typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '');
  return text.replace(/\p{Cc}/gu, ' ');
};
