import type { Readable } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { AdminError } from './admin-error.ts';
import type { Column } from './columns.ts';
import { type Line, type Parsed, parsedJson } from './line.ts';
import { count } from './print.ts';

/**
 * The records of CSV. Its first record names the columns. `period.starts` is the member `starts` of
 * `period`; an empty cell is no value.
 *
 * @throws AdminError when the first record does not name the columns
 */
export async function* csvLines(input: Readable, known: readonly Column[]): AsyncGenerator<Line> {
  // The parser reads ahead of us: what it skips may come after what it has yielded.
  const skipped: Line[] = [];
  const records = input.compose(
    parse({
      info: true,
      record_delimiter: ['\n', '\r\n'],
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: (error?: CsvError) => {
        skipped.push({ number: Number(error?.lines), fault: faultOf(error) });
        return undefined;
      },
    }),
  );
  let header: Column[] | undefined;
  for await (const { record, info } of records as AsyncIterable<CsvRecord>) {
    if (!header) {
      header = readHeader(record, known, info.lines);
      continue;
    }
    while (skipped[0] && skipped[0].number < info.lines) yield skipped.shift() as Line;
    yield { number: info.lines, ...parsedCells(record, header) };
  }
  yield* skipped;
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

const faultOf = (error?: CsvError): string =>
  error?.code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'A quoted cell is not closed.'
    : 'A cell with a quotation mark must be quoted, and the mark doubled.';

const readHeader = (names: readonly string[], known: readonly Column[], line: number): Column[] => {
  const separator = { ';': 'semicolons', '\t': 'tabs' }[/[;\t]/.exec(names[0] ?? '')?.[0] ?? ''];
  if (names.length === 1 && separator) {
    throw new AdminError(
      `line ${line}: The columns are separated by ${separator}. Separate them with commas.`,
    );
  }
  const columns = names.map((name) => known.find((column) => column.name === name));
  const unknown = names.filter((_, index) => !columns[index]);
  const missing = known.filter((column) => column.required && !columns.includes(column));
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) < index));
  const faults = [
    ...unknown.map((name) => `There is no column "${name}".`),
    ...[...repeated].map((name) => `The column ${name} occurs twice.`),
    ...missing.map(({ name }) => `The required column ${name} is missing.`),
  ];
  if (faults.length > 0) {
    throw new AdminError(faults.map((fault) => `line ${line}: ${fault}`).join('\n'));
  }
  return columns as Column[];
};

const parsedCells = (cells: readonly string[], header: readonly Column[]): Parsed => {
  if (cells.length !== header.length) {
    return {
      fault: `Has ${count(cells.length, 'cell')}, and the header has ${count(header.length, 'column')}.`,
    };
  }
  const value: Record<string, unknown> = {};
  for (const [index, column] of header.entries()) {
    const [name = '', member] = column.name.split('.');
    const cell = cells[index] || undefined;
    if (member) value[name] = { ...(value[name] as object), ...(cell && { [member]: cell }) };
    else if (cell) value[name] = column.json ? jsonOrText(cell) : cell;
  }
  return { value };
};

/** What is not JSON stays text, and the schema then says what is wrong with it. */
const jsonOrText = (cell: string): unknown => {
  const parsed = parsedJson(cell);
  return 'value' in parsed ? parsed.value : cell;
};
