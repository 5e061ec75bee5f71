import { AdminError } from '../terminal/admin-error.ts';
import { countOf, plain, shortened } from '../terminal/print.ts';
import type { Column } from './entry.ts';
import { exactJson, type Line, type Parsed, parsedJson } from './exact-json.ts';
import { maximumLineBytes, type TextLine } from './text-lines.ts';

/**
 * The records of CSV, each with the number of the line on which it begins. The first record names
 * the columns. `period.starts` is the member `starts` of `period`; an empty cell is no value.
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

/** A record ends on a later line if a quoted cell has line feeds. A fault costs one line only. */
async function* csvRecords(lines: AsyncGenerator<TextLine>): AsyncGenerator<CsvRecord> {
  /** The lines read while looking for a closing quotation mark; the next one is the last. */
  const ahead: TextLine[] = [];
  const next = async (): Promise<TextLine | undefined> =>
    ahead.pop() ?? (await lines.next()).value ?? undefined;
  for (let line = await next(); line; line = await next()) {
    const { number } = line;
    if ('fault' in line) yield line;
    else if (line.text.trim()) {
      let record = cellsOf(line.text);
      if ('fault' in record && record.fault === unclosed) {
        const rest = await readToClosing(line.text, next);
        record = cellsOf([line, ...rest].map(textOf).join('\n'));
        if ('fault' in record) {
          record = { fault: unclosed };
          for (const each of rest.reverse()) ahead.push(each);
        }
      }
      yield { number, ...record };
    }
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

const cellsOf = (text: string): Cells => {
  const rest = `,${text.replace(/\r$/, '')}`;
  const cells: string[] = [];
  let end = 0;
  for (const [match, quoted, bare = ''] of rest.matchAll(cell)) {
    cells.push(quoted?.replaceAll('""', '"') ?? bare);
    end += match.length;
  }
  if (end === rest.length) return { cells };
  return { fault: openCell.test(rest.slice(end)) ? unclosed : misplaced };
};

/** With the comma before it, which a record's first cell is given too (RFC 4180). */
const cell = /,(?:"([^"]*(?:""[^"]*)*)"|([^",\n]*))(?=,|$)/gy;
const openCell = /^,"[^"]*(?:""[^"]*)*$/;

const unclosed = 'A quoted cell is not closed.';
const misplaced = 'A cell with a quotation mark must be quoted, and the mark doubled.';

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
    ...unknown.map((name) => `There is no column "${plain(shortened(name))}".`),
    ...[...repeated].map((name) => `The column ${plain(shortened(name))} occurs twice.`),
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
      fault: `Has ${countOf(cells.length, 'cell')}, and the header has ${countOf(header.length, 'column')}.`,
    };
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
