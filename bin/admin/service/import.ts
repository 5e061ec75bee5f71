import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import { CsvError, parse } from 'csv-parse/sync';
import type { Author } from '../../../functions/domain/author.ts';
import { lossesIn } from '../../../functions/domain/exact-json.ts';
import { faultsOf, inBody } from '../../../functions/domain/faults.ts';
import { WorkspaceId } from '../../../functions/domain/identifiers.ts';
import type { Fault } from '../../../functions/domain/problem.ts';
import { importRecord, RecordMessage, RecordRefused } from '../../../functions/domain/record.ts';
import {
  loadRecord,
  newRecordIdentity,
  recordKey,
  saveRecord,
} from '../../../functions/store/records.ts';
import { AdminError, UsageError } from '../../command-line/admin-error.ts';
import { callerPath } from '../../command-line/caller-path.ts';
import { countOnTerminal } from '../../command-line/progress.ts';
import { sentence } from '../../command-line/report-error.ts';
import { inParallel, parallelCalls } from '../table/in-parallel.ts';
import type { Item } from '../table/scan.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { readEach, retryUntilAvailable } from '../table/write.ts';
import { argument, examples, serve } from './command.ts';

/** The columns of CSV whose cells hold JSON. */
const jsonColumns = ['documents', 'payment', 'version'];

/** The members that the service changes, so that a line without a version may have older ones. */
const changing = ['status', 'payment'];

/** How records of one type are imported. */
interface Importing {
  /** What operators call one. */
  readonly noun: 'payment request' | 'offer';
  /** The columns that CSV must have. */
  readonly required: readonly string[];
  /** What a line may leave out besides `created`. */
  readonly defaults: Item;
  /** What a line without a version may leave out: with one it would replace what is there. */
  readonly initial: (send: boolean) => Item;
  /** What `--send` does. There is no such option without it. */
  readonly send?: string;
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

/** A line without a fault, and the message that it is; its version is 0 if it has none. */
interface Entry {
  readonly number: number;
  readonly message: RecordMessage;
  /** The members that the line states and that never change without a version. */
  readonly stated: Item;
}

/** The command `import` of a noun. */
export const importCommand = (importing: Importing) => {
  const command = new Command('import')
    .description(`Import ${importing.noun}s from JSON Lines or CSV, if no line has a fault.`)
    .argument('<file>', 'the file to import, which ends in .jsonl or .csv')
    .requiredOption('--workspace <id>', 'the workspace they belong to', argument(WorkspaceId))
    .addHelpText(
      'after',
      `${importing.help}

A line may have a version, a whole number from 1: a higher one replaces a record as lib/RECORDS.md says, an
equal or lower one changes nothing. Such a line states all but note and created. Without a version, a line that
states another value than the table is a fault. All lines are read first, and the ids that exist. If anything is
wrong, up to 100 faults are printed with their lines and nothing is written. Running the same command again is
safe, and continues an import that was interrupted.
${examples(`${importing.noun.replace(' ', '-')} import october.csv --workspace wsp_demo`)}
${importing.sample}`,
    );
  if (importing.send) command.option('--send', importing.send);
  return serve(command, async ({ operator }, options, file) => {
    const { workspace } = options;
    const { send = false } = options as { readonly send?: boolean };
    const lines = readLines(file, importing);
    const owner = await requireWorkspace(workspace);
    const { entries, faults } = entriesOf(lines, workspace, importing, send);
    const looking = readEach(entries.map(({ message }) => recordKey(message)));
    const found = await Array.fromAsync(countOnTerminal('ids', looking));
    const refused = entries.flatMap((entry, index) => refusals(entry, found[index], { ...owner }));
    refuse([...faults, ...refused], 'Nothing was imported.');
    const { created, replaced, older } = await saveAll(entries, await operator());
    const present = entries.length - created - replaced;
    return { value: { lines: entries.length, created, replaced, present, older } };
  });
};

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
const readLines = (file: string, importing: Importing): Line[] => {
  const format = /\.(jsonl|csv)$/.exec(file)?.[1];
  if (!format) throw new UsageError(`${file} does not end in .jsonl or .csv.`);
  const text = readText(file);
  const lines = format === 'csv' ? csvLines(text, importing) : jsonLines(text);
  if (lines.length === 0) throw new AdminError(`${file} has no line to import.`);
  return lines;
};

const readText = (file: string): string => {
  try {
    // A decoder that replaced bytes would change the text silently.
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(callerPath(file)));
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
  try {
    const [loss] = lossesIn(text);
    return loss ? { fault: loss } : { value: JSON.parse(text) };
  } catch {
    return { fault: 'Is not JSON.' };
  }
};

/**
 * The first record names the columns: `period.starts` is the member `starts` of `period`. An empty
 * cell is no value, and a record of empty cells is none.
 */
const csvLines = (text: string, importing: Importing): Line[] => {
  try {
    const records: unknown = parse(text, {
      columns: (names) => columnsOf(names, importing),
      info: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    });
    return (records as CsvRecord[]).map(({ record, info }) => {
      const value: Record<string, unknown> = {};
      let fault: string | undefined;
      for (const [column, cell] of Object.entries(record)) {
        if (cell === '') continue;
        // Any other column with a point is an unknown field.
        const isNested = importing.required.includes(column);
        const [name = '', member] = isNested ? column.split('.') : [column];
        const json: Partial<Line> = jsonColumns.includes(name) ? jsonIn(cell) : { value: cell };
        value[name] = member ? { ...(value[name] as object), [member]: cell } : json.value;
        fault ??= json.fault && `${name}: ${json.fault}`;
      }
      return { number: info.lines, value, fault };
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.lines === 1) columnsOf(text.split(/\r?\n/, 1), importing);
    throw new AdminError(`Nothing was imported. ${error.message}.`);
  }
};

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/**
 * @throws AdminError when a column is missing, which is a fault of the header and not of each line;
 * or when two columns have one name: the parser would keep the last one only
 */
const columnsOf = (names: readonly string[], { required, initial }: Importing) => {
  const needed = [...required, ...(names.includes('version') ? Object.keys(initial(false)) : [])];
  if (!needed.every((name) => names.includes(name))) {
    throw new AdminError(
      `Nothing was imported. The first line must name the columns, separated by commas: it needs ${needed.join(', ')} and has ${names.map((name) => JSON.stringify(name)).join(', ')}.`,
    );
  }
  const repeated = names.find((name, index) => name && names.indexOf(name) < index);
  if (repeated) throw new AdminError(`Nothing was imported. The column ${repeated} occurs twice.`);
  // What stands in a column without a name belongs to none, and is refused as an unknown field. So
  // is __proto__, which an object would not keep.
  return names.map((name, index) =>
    name && !name.includes('__proto__') ? name : `column ${index + 1}`,
  );
};

const entriesOf = (
  lines: readonly Line[],
  workspace: string,
  { noun, defaults, initial }: Importing,
  isSending: boolean,
) => {
  const common: Item = { ...defaults, created: new Date().toISOString() };
  const unversioned: Item = { ...common, ...initial(isSending) };
  const firstLines = new Map<string, number>();
  const entries: Entry[] = [];
  const faults: LineFault[] = [];
  for (const { number, value, fault } of lines) {
    const { version, ...given } = (value ?? {}) as Item;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const record = { ...(version === undefined ? unversioned : common), ...given };
    const input = {
      workspace,
      version: version === undefined ? 1 : version,
      [noun.replace(' ', '_')]: isObject ? record : value,
      ...(isSending && record.status === 'sent' && { send: true }),
    };
    const { data, error } = RecordMessage.safeParse(input);
    if (fault || !data) {
      const texts = fault ? [fault] : faultsOf(error as NonNullable<typeof error>, input, inBody);
      faults.push(...texts.map((each) => ({ number, fault: inWords(each) })));
      continue;
    }
    const message = { ...data, version: version === undefined ? 0 : data.version };
    const { pk } = recordKey(message);
    const first = firstLines.get(pk);
    firstLines.set(pk, first ?? number);
    if (first) faults.push({ number, fault: `id: Line ${first} has it too.` });
    const stated = Object.entries(given).filter(([name]) => !changing.includes(name));
    entries.push({ number, message, stated: Object.fromEntries(stated) });
  }
  return { entries, faults };
};

/**
 * What is wrong, and where: `/offer/recipient_email` is the member `recipient_email` of a line,
 * and `/payment_request/period/starts` the member and the column `period.starts`.
 */
const inWords = (fault: Fault | string): string => {
  if (typeof fault === 'string') return fault;
  const { detail, ...at } = fault;
  const path = 'pointer' in at ? at.pointer.replace(/^\/(payment_request|offer)(?=\/|$)/, '') : '';
  return path ? `${path.slice(1).replaceAll('/', '.')}: ${detail}` : detail;
};

/** Why a line cannot be imported beside the item that is there. */
const refusals = (entry: Entry, there: Item | undefined, owner: Item): LineFault[] => {
  const { number, message } = entry;
  try {
    importRecord(message, [there, owner], newRecordIdentity(message));
    return there ? differences(entry, there) : [];
  } catch (error) {
    if (!(error instanceof RecordRefused)) throw error;
    return [{ number, fault: error.message }];
  }
};

/** What a line without a version states otherwise than the item that is there. */
const differences = ({ number, message, stated }: Entry, there: Item): LineFault[] => {
  // The service changes statuses, but sends no draft: nobody would mail what the line says is sent.
  const isUnsent = message.offer?.status === 'sent' && there.status === 'draft';
  const said = isUnsent ? { ...stated, status: 'sent' } : stated;
  return Object.entries(message.version > 0 ? {} : said)
    .filter(([name, value]) => !isDeepStrictEqual(value, there[name]))
    .map(([name]) => ({
      number,
      fault: `${name}: The table has ${JSON.stringify(there[name])}, which is kept.`,
    }));
};

/**
 * Saves what is news to the table.
 *
 * @returns how many records this call has created and replaced, and how many lines have a lower
 * version than the table; others have those values
 * @throws AdminError when it could not save all, or another writer has made one otherwise
 */
const saveAll = async (entries: readonly Entry[], author: Author) => {
  const faults: LineFault[] = [];
  const done = { created: 0, replaced: 0, older: 0 };
  const isOwn = (act: unknown) => (act as Author | undefined)?.request === author.request;
  const saveOne = async (entry: Entry) => {
    const { number, message } = entry;
    try {
      const { facts, there } = await retryUntilAvailable(async () => {
        const before = await loadRecord(message);
        const change = importRecord(message, before, newRecordIdentity(message));
        await saveRecord(message, before, change, author);
        return { facts: change.facts, there: before[0] ?? {} };
      });
      const { result, version, stored_version = 0 } = facts;
      if (result !== 'known') done[result] += 1;
      // The response to an earlier try was lost.
      else if (isOwn(there.changed)) done.replaced += 1;
      else if (isOwn(there.author)) done.created += 1;
      else if (version > 0) done.older += Number(version < stored_version);
      else faults.push(...differences(entry, there));
    } catch (error) {
      if (!(error instanceof RecordRefused)) throw error;
      faults.push({ number, fault: error.message });
    }
  };
  const counts = () =>
    `${inDigits(done.created)} were created, ${inDigits(done.replaced)} replaced`;
  const interrupt = (signal: NodeJS.Signals) => {
    console.error(`\n${counts()}; the same command continues.`);
    process.kill(process.pid, signal);
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    for await (const _ of countOnTerminal('items', inParallel(entries, parallelCalls, saveOne)));
  } catch (error) {
    throw new AdminError(`${sentence(error)} ${counts()}; the same command continues.`);
  }
  refuse(faults, `${counts()}, but these were not:`);
  return done;
};
