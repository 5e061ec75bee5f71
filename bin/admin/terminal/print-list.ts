import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { aligned } from './print.ts';

interface PrintOptions<T> {
  readonly json?: boolean;
  readonly limit?: number;
  /** What is listed, in the plural. */
  readonly nouns: string;
  /** The cells of a row under their headings. */
  readonly row: (element: T) => Readonly<Record<string, unknown>>;
}

/**
 * Prints elements as they come, however many there are: as one JSON array, or as a table.
 *
 * @returns how many there were, and the last
 */
export const printList = async <T>(
  elements: AsyncIterable<T>,
  { json, limit, nouns, row }: PrintOptions<T>,
): Promise<{ readonly count: number; readonly last: T | undefined }> => {
  let count = 0;
  let last: T | undefined;
  async function* taken() {
    for await (const element of elements) {
      count += 1;
      last = element;
      yield element;
      if (count === limit) return;
    }
  }
  const text = json ? jsonArray(taken()) : tableParts(taken(), nouns, row);
  await pipeline(Readable.from(text), process.stdout, { end: false });
  return { count, last };
};

async function* jsonArray(elements: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const element of elements) {
    yield `${before}\n${JSON.stringify(element)}`;
    before = ',';
  }
  yield before === '[' ? '[]\n' : '\n]\n';
}

/** Columns are as wide as these first rows need; wider cells that come later widen what follows. */
const rowsPerPart = 100;

async function* tableParts<T>(
  elements: AsyncIterable<T>,
  nouns: string,
  row: PrintOptions<T>['row'],
): AsyncGenerator<string> {
  const widths: number[] = [];
  let rows: unknown[][] | undefined;
  for await (const element of elements) {
    const cells = row(element);
    rows ??= [Object.keys(cells)];
    rows.push(Object.values(cells));
    if (rows.length > rowsPerPart) yield `${aligned(rows.splice(0), widths)}\n`;
  }
  if (!rows) yield `No ${nouns}.\n`;
  else if (rows.length > 0) yield `${aligned(rows, widths)}\n`;
}
