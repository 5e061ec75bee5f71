import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Command, Option } from '@commander-js/extra-typings';
import { type CsvError, parse } from 'csv-parse/sync';
import * as z from 'zod/mini';
import { WorkspaceId } from '../../../functions/domain/identifiers.ts';
import type { Fault } from '../../../functions/domain/problem.ts';
import { faultsOf, inBody } from '../../../functions/http/faults.ts';
import { jsonFaultPlace } from '../../../functions/http/json-fault.ts';
import { repeatedMembers } from '../../../functions/http/repeated-members.ts';
import { callerPath } from '../../caller-path.ts';
import { inParallel, parallelCalls } from '../table/in-parallel.ts';
import { type Item, keyOf } from '../table/scan.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { createItem, readEach } from '../table/write.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { counted } from '../terminal/progress.ts';
import { sentence } from '../terminal/report-error.ts';
import { argument, examples, serve } from './command.ts';

const formats = ['jsonl', 'csv'] as const;

/** How items of one type are imported. */
interface Importing<T> {
  /** What operators call one. */
  readonly noun: string;
  /** The schema of a line. @param now the time of the import */
  readonly schema: (now: string) => z.ZodMiniType<T>;
  readonly toItem: (workspace: string, line: T) => Item;
  /** The columns of CSV whose cells hold JSON. */
  readonly jsonColumns?: readonly string[];
  /** The members that the service changes, so that a line may have older ones. */
  readonly changing: readonly string[];
  readonly help: string;
  /** Of both formats. */
  readonly sample: string;
}

/** What is wrong with a line. */
interface LineFault {
  readonly number: number;
  readonly fault: string;
}

/** A line of the file: what it says, or why it cannot be read. */
type Line = Partial<LineFault> & { readonly number: number; readonly value?: unknown };

/** A line without a fault, and the item that it is. */
interface Entry {
  readonly number: number;
  readonly item: Item;
  /** The members that the line states and that never change. */
  readonly stated: readonly string[];
}

/** The command `import` of a noun. */
export const importCommand = <T>(importing: Importing<T>) =>
  serve(
    new Command('import')
      .description(`Import ${importing.noun}s from JSON Lines or CSV, if no line has a fault.`)
      .argument('<file>', 'the file to import, or - for standard input')
      .requiredOption('--workspace <id>', 'the workspace they belong to', argument(WorkspaceId))
      .addOption(new Option('--format <format>', 'if the name does not end in it').choices(formats))
      .addHelpText(
        'after',
        `${importing.help}

All lines are read first, and the ids that exist. If anything is wrong, up to 100 faults are printed with
their lines and nothing is written. An item that exists is never written: a line that states another value
than the table is a fault. Running the same command again is safe, and continues an import that was
interrupted.
${examples(`${importing.noun.replace(' ', '-')} import october.csv --workspace wsp_demo`)}
${importing.sample}`,
      ),
    async ({ operator }, { workspace, format }, file) => {
      const lines = readLines(file, format, importing.jsonColumns ?? []);
      await requireWorkspace(workspace);
      const { entries, faults } = entriesOf(lines, workspace, importing);
      const looking = readEach(entries.map(({ item }) => keyOf(item)));
      const found = await Array.fromAsync(counted('ids', looking));
      const differing = entries.flatMap((entry, index) => differences(entry, found[index]));
      refuse([...faults, ...differing], 'Nothing was imported.');
      const author = await operator();
      const fresh = entries
        .filter((_, index) => !found[index])
        .map((entry) => ({ ...entry, item: { ...entry.item, author } }));
      const created = await createAll(fresh);
      const present = entries.length - created;
      return {
        value: { lines: entries.length, created, present },
        text: () => `${inDigits(created)} created, ${inDigits(present)} there already.`,
      };
    },
  );

const inDigits = (count: number): string => count.toLocaleString('en');

/** So many faults a person reads at once. */
const printedMost = 100;

/** @throws AdminError with the faults in the order of their lines, if there are any */
const refuse = (faults: readonly LineFault[], outcome: string): void => {
  if (faults.length === 0) return;
  const sorted = faults.toSorted((one, other) => one.number - other.number);
  const more = faults.length - printedMost;
  throw new AdminError(
    [
      outcome,
      ...sorted.slice(0, printedMost).map(({ number, fault }) => `line ${number}: ${fault}`),
      ...(more > 0 ? [`${inDigits(more)} more faults are not shown.`] : []),
    ].join('\n'),
  );
};

/** @throws AdminError when the file cannot be read, or has no line */
const readLines = (
  file: string,
  given: (typeof formats)[number] | undefined,
  jsonColumns: readonly string[],
): Line[] => {
  const format = given ?? /\.(jsonl|csv)$/.exec(file)?.[1];
  if (!format) {
    throw new UsageError(
      `${file} does not end in .jsonl or .csv: add --format jsonl or --format csv.`,
    );
  }
  const text = readText(file).replace(/^\ufeff/, '');
  const lines = format === 'csv' ? csvLines(text, jsonColumns) : jsonLines(text);
  if (lines.length === 0) throw new AdminError(`${file} has no line to import.`);
  return lines;
};

const readText = (file: string): string => {
  try {
    // A decoder that replaced bytes would change the text silently.
    return new TextDecoder('utf-8', { fatal: true }).decode(
      readFileSync(file === '-' ? 0 : callerPath(file)),
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isText = code !== 'ERR_ENCODING_INVALID_ENCODED_DATA';
    throw new AdminError(`${file} ${isText ? `cannot be read: ${message}` : 'is not UTF-8'}.`);
  }
};

/** A line is text up to a line feed: JSON may hold U+2028, at which others split too. */
const jsonLines = (text: string): Line[] =>
  text
    .split(/\r?\n/)
    .map((line, index) => ({ number: index + 1, ...(line.trim() && jsonIn(line)) }))
    .filter((line) => 'value' in line || 'fault' in line);

const jsonIn = (text: string): Pick<Line, 'value' | 'fault'> => {
  const faults: string[] = [];
  try {
    const value: unknown = JSON.parse(text, (name, member, { source = '' } = {}) => {
      if (name === '__proto__') faults.push('The member __proto__ cannot be stored.');
      // JavaScript keeps 15 digits.
      if (typeof member === 'number' && !/^-?[\d.]{1,15}$/.test(source))
        faults.push(
          `The number ${source} has more than 15 digits or an exponent: write it as text.`,
        );
      return member;
    });
    for (const path of repeatedMembers(text))
      faults.push(`The member ${path.at(-1)} occurs twice.`);
    return faults[0] ? { fault: faults[0] } : { value };
  } catch {
    return { fault: `Is not JSON from ${jsonFaultPlace(text).replace(/.*, /, '')} on.` };
  }
};

/**
 * The first record names the columns: `period.starts` is the member `starts` of `period`. An empty
 * cell is no value, and a record of empty cells is none.
 */
const csvLines = (text: string, jsonColumns: readonly string[]): Line[] => {
  try {
    const records = parse(text, {
      columns: columnsOf,
      info: true,
      relax_column_count: true,
      skip_records_with_empty_values: true,
    });
    return (records as unknown as CsvRecord[]).map(({ record, info }) => {
      const number = info.lines;
      if (info.error) return { number, fault: 'Has another number of cells than the header.' };
      const value: Record<string, unknown> = {};
      let fault: string | undefined;
      for (const [column, cell] of Object.entries(record)) {
        if (cell === '') continue;
        const [name = '', member] = column.split('.');
        const json: Partial<Line> = jsonColumns.includes(name) ? jsonIn(cell) : { value: cell };
        value[name] = member ? { ...(value[name] as object), [member]: cell } : json.value;
        fault ??= json.fault && `${name}: ${json.fault}`;
      }
      return { number, value, fault };
    });
  } catch (error) {
    if ((error as CsvError).code === undefined) throw error;
    throw new AdminError(`Nothing was imported. ${(error as CsvError).message}.`);
  }
};

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number; readonly error?: Error };
}

/** @throws AdminError when two columns have one name: the parser would keep the last one only */
const columnsOf = (names: readonly string[]) => {
  const repeated = names.find((name, index) => name && names.indexOf(name) < index);
  if (repeated) throw new AdminError(`Nothing was imported. The column ${repeated} occurs twice.`);
  // What stands in a column without a name belongs to none, and is refused as an unknown field. So
  // is __proto__, which an object would not keep.
  return names.map((name, index) =>
    name && !name.includes('__proto__') ? name : `column ${index + 1}`,
  );
};

const entriesOf = <T>(
  lines: readonly Line[],
  workspace: string,
  { schema, toItem, changing }: Importing<T>,
) => {
  const lineSchema = schema(new Date().toISOString());
  const firstLines = new Map<string, number>();
  const entries: Entry[] = [];
  const faults: LineFault[] = [];
  for (const { number, value, fault } of lines) {
    const { data, error } = z.safeParse(lineSchema, value);
    if (fault || error) {
      const texts = fault
        ? [fault]
        : faultsOf(error as z.core.$ZodError, value, inBody).map(inWords);
      faults.push(...texts.map((each) => ({ number, fault: each })));
      continue;
    }
    const item = toItem(workspace, data as T);
    const { pk } = keyOf(item);
    const first = firstLines.get(pk);
    firstLines.set(pk, first ?? number);
    if (first) faults.push({ number, fault: `id: Line ${first} has it too.` });
    const stated = Object.keys(value as object).filter((name) => !changing.includes(name));
    entries.push({ number, item, stated });
  }
  return { entries, faults };
};

/** What is wrong, and where: `/period/starts` is the member and the column `period.starts`. */
const inWords = ({ detail, ...at }: Fault): string => {
  const place = 'pointer' in at ? at.pointer.slice(1).replaceAll('/', '.') : '';
  return place ? `${place}: ${detail}` : detail;
};

/** What a line states otherwise than the item that is there. */
const differences = ({ number, item, stated }: Entry, there: Item | undefined): LineFault[] => {
  if (!there) return [];
  if (there.workspace !== item.workspace) {
    return [{ number, fault: 'id: It belongs to another workspace.' }];
  }
  return stated
    .filter((name) => name in item && !isDeepStrictEqual(item[name], there[name]))
    .map((name) => ({
      number,
      fault: `${name}: Exists already with another value, which stays: ${JSON.stringify(there[name])}.`,
    }));
};

/**
 * Creates items whose keys were free.
 *
 * @returns how many this call has created; another writer has made the others, with the same values
 * @throws AdminError when it could not create all, or another writer has made one otherwise
 */
const createAll = async (entries: readonly Entry[]): Promise<number> => {
  const faults: LineFault[] = [];
  let created = 0;
  const createOne = async (entry: Entry) => {
    const { number, item } = entry;
    try {
      const there = await createItem(item);
      if (there) faults.push(...differences(entry, there));
      else created += 1;
    } catch (error) {
      const { name, message } = error as Error;
      if (name !== 'ValidationException') throw error;
      faults.push({ number, fault: `Cannot be stored: ${message}` });
    }
  };
  try {
    for await (const _ of counted('items', inParallel(entries, parallelCalls, createOne)));
  } catch (error) {
    const until = `${inDigits(created)} were created; the same command continues.`;
    throw new AdminError(`${sentence(error)} ${until}`);
  }
  refuse(faults, `${inDigits(created)} were created, but these were not:`);
  return created;
};
