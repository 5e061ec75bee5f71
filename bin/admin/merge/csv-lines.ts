import { type CsvError, parse } from 'csv-parse/sync';
import { AdminError } from '../terminal/admin-error.ts';
import { exactJson, type Line, type Parsed, parsedJson, shortened } from './exact-json.ts';
import type { Column } from './record-reader.ts';
import { maximumLineBytes, type TextLine } from './text-lines.ts';

/**
 * The records of CSV, each with the number of the line on which it begins. The first record names
 * the columns. `period.starts` is the member `starts` of `period`; an empty cell is no value, and
 * neither are a row of empty cells and the empty cells beyond the header.
 *
 * @throws AdminError when the first record does not name the columns
 */
export async function* csvLines(
  lines: AsyncGenerator<TextLine>,
  known: readonly Column[],
): AsyncGenerator<Line> {
  let header: Column[] | undefined;
  for await (const { number, ...record } of csvRecords(lines)) {
    if (header)
      yield { number, ...('cells' in record ? parsedCells(record.cells, header) : record) };
    else if ('cells' in record) header = readHeader(record.cells, known, number);
    else throw new AdminError(`line ${number}: ${record.fault}`);
  }
}

type Cells = { readonly cells: readonly string[] } | { readonly fault: string };
type CsvRecord = { readonly number: number } & Cells;

/**
 * A record ends on a later line if a quoted cell has line feeds. The parser gets one record at a
 * time, so that a fault costs one line only.
 */
async function* csvRecords(lines: AsyncGenerator<TextLine>): AsyncGenerator<CsvRecord> {
  /** The lines that were read while looking for a closing quotation mark. */
  let ahead: TextLine[] = [];
  const next = async (): Promise<TextLine | undefined> =>
    ahead.shift() ?? (await lines.next()).value ?? undefined;
  for (let line = await next(); line; line = await next()) {
    const { number } = line;
    if ('fault' in line) {
      yield line;
      continue;
    }
    let record = cellsOf(line.text);
    if ('fault' in record && record.fault === unclosed) {
      const rest = await readToClosing(line.text, next);
      record = cellsOf([line.text, ...rest.map(textOf)].join('\n'));
      if ('fault' in record) {
        record = { fault: unclosed };
        ahead = [...rest, ...ahead];
      }
    }
    if ('fault' in record || record.cells.some(Boolean)) yield { number, ...record };
  }
}

/** Reads the lines that may belong to an open cell: up to the one with an odd number of marks. */
const readToClosing = async (
  text: string,
  next: () => Promise<TextLine | undefined>,
): Promise<TextLine[]> => {
  const read: TextLine[] = [];
  for (let length = text.length; length <= maximumLineBytes; ) {
    const line = await next();
    if (!line) break;
    read.push(line);
    if ('fault' in line || line.text.split('"').length % 2 === 0) break;
    // With its line feed: an empty line counts too.
    length += line.text.length + 1;
  }
  return read;
};

const textOf = (line: TextLine) => ('text' in line ? line.text : '');

const unclosed = 'A quoted cell is not closed.';
const misplaced = 'A cell with a quotation mark must be quoted, and the mark doubled.';

const cellsOf = (line: string): Cells => {
  try {
    const [cells = []] = parse(line.replace(/\r$/, ''), { record_delimiter: '\n' });
    return { cells };
  } catch (error) {
    const isOpen = (error as CsvError).code === 'CSV_QUOTE_NOT_CLOSED';
    return { fault: isOpen ? unclosed : misplaced };
  }
};

const readHeader = (names: readonly string[], known: readonly Column[], line: number): Column[] => {
  const separator = { ';': 'semicolons', '\t': 'tabs' }[/[;\t]/.exec(names[0] ?? '')?.[0] ?? ''];
  if (names.length === 1 && separator) {
    throw new AdminError(
      `line ${line}: The columns are separated by ${separator}. Separate them with commas.`,
    );
  }
  const given = names.slice(0, names.findLastIndex(Boolean) + 1);
  const columns = given.map((name) => known.find((column) => column.name === name));
  const unknown = given.filter((_, index) => !columns[index]);
  const missing = known.filter((column) => column.required && !columns.includes(column));
  const repeated = new Set(given.filter((name, index) => given.indexOf(name) < index));
  const faults = [
    ...unknown.map((name) => `There is no column "${oneLine(name)}".`),
    ...[...repeated].map((name) => `The column ${oneLine(name)} occurs twice.`),
    ...missing.map(({ name }) => `The required column ${name} is missing.`),
  ];
  if (faults.length > 0) {
    throw new AdminError(faults.map((fault) => `line ${line}: ${fault}`).join('\n'));
  }
  return columns as Column[];
};

const oneLine = (name: string) => shortened(name).replaceAll('\n', ' ');

const parsedCells = (cells: readonly string[], header: readonly Column[]): Parsed => {
  if (cells.length < header.length || cells.slice(header.length).some(Boolean)) {
    return { fault: `Has ${cells.length} cells, and the header has ${header.length} columns.` };
  }
  const value: Record<string, unknown> = {};
  for (const [index, column] of header.entries()) {
    const [name = '', member] = column.name.split('.');
    const cell = cells[index] || undefined;
    if (member) value[name] = { ...(value[name] as object), ...(cell && { [member]: cell }) };
    else if (cell) {
      // What is not JSON stays text, and the schema reports it.
      const isJson = column.json && 'value' in parsedJson(cell);
      const parsed = isJson ? exactJson(cell) : { value: cell };
      if ('fault' in parsed) return { fault: `${name}: ${parsed.fault}` };
      value[name] = parsed.value;
    }
  }
  return { value };
};
