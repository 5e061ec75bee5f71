import { createReadStream, type ReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { AdminError } from './admin-error.ts';

/** One record of a file, or why it cannot be read. */
export type Line = { readonly number: number } & (
  | { readonly value: unknown }
  | { readonly fault: string }
);

/** A file that is read as it is consumed, never as a whole. */
export interface Lines {
  readonly lines: AsyncGenerator<Line>;
  /** How much of the file has been read, from 0 to 1. */
  readonly share: () => number;
}

/**
 * The records of a JSON Lines or CSV file; which one, its name says.
 *
 * A CSV file starts with the names of its columns. `period.starts` is the member `starts` of
 * `period`; an empty cell is no value; cells of `jsonColumns` hold JSON.
 *
 * @throws AdminError when there is no such file, or as soon as it turns out not to be UTF-8
 */
export const readLines = (file: string, jsonColumns: readonly string[] = []): Lines => {
  const read = file.endsWith('.csv') ? csvLines : file.endsWith('.jsonl') ? jsonLines : undefined;
  if (!read) throw new AdminError(`${file} must end in .jsonl or .csv: that says how to read it.`);
  const sizeBytes = sizeOf(file);
  const stream = createReadStream(file);
  return {
    lines: read(Readable.from(decoded(stream)), jsonColumns),
    share: () => stream.bytesRead / Math.max(1, sizeBytes),
  };
};

const sizeOf = (file: string): number => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new AdminError(`There is no file ${file}.`);
  return stats.size;
};

/** Leaves out a byte order mark. Bytes that are no text end it, where Node would replace them. */
async function* decoded(stream: ReadStream): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of stream) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new AdminError(`${stream.path} is not text in UTF-8.`);
  }
}

async function* jsonLines(input: Readable): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (text.trim() !== '') yield { number, ...parsedJson(text) };
  }
}

const parsedJson = (text: string): { value: unknown } | { fault: string } => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: 'Is not JSON.' };
  }
};

async function* csvLines(input: Readable, jsonColumns: readonly string[]): AsyncGenerator<Line> {
  const skipped: Line[] = [];
  const records = input.compose(
    parse({
      columns: true,
      info: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: (error?: CsvError) => {
        skipped.push({ number: Number(error?.lines), fault: error?.message ?? 'Is not CSV.' });
        return undefined;
      },
    }),
  );
  for await (const { record, info } of records as AsyncIterable<CsvRecord>) {
    yield* skipped.splice(0);
    yield { number: info.lines, value: nested(record, jsonColumns) };
  }
  yield* skipped;
}

interface CsvRecord {
  readonly record: Record<string, string>;
  readonly info: Info;
}

const nested = (
  record: Readonly<Record<string, string>>,
  jsonColumns: readonly string[],
): Record<string, unknown> => {
  const value: Record<string, unknown> = {};
  for (const [column, cell] of Object.entries(record)) {
    if (cell === '') continue;
    const [name = '', member] = column.split('.');
    if (member) value[name] = { ...(value[name] as object), [member]: cell };
    else value[name] = jsonColumns.includes(name) ? jsonOrText(cell) : cell;
  }
  return value;
};

/** What is not JSON stays text, and the schema then says what is wrong with it. */
const jsonOrText = (cell: string): unknown => {
  const parsed = parsedJson(cell);
  return 'value' in parsed ? parsed.value : cell;
};
