import { Command } from '@commander-js/extra-typings';
import { CsvError, parse } from 'csv-parse/sync';
import type { Author } from '../../../functions/domain/author.ts';
import { lossesIn } from '../../../functions/domain/exact-json.ts';
import { faultsOf, inBody } from '../../../functions/domain/faults.ts';
import { WorkspaceId } from '../../../functions/domain/identifiers.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { MessageRefused } from '../../../functions/domain/message-refused.ts';
import {
  importRecord,
  type RecordChange,
  RecordMessage,
} from '../../../functions/domain/record.ts';
import { readItem } from '../../../functions/store/read.ts';
import { newRecordStamp, recordKey, saveRecord } from '../../../functions/store/records.ts';
import { AdminError, UsageError } from '../../command-line/admin-error.ts';
import { plain } from '../../command-line/print.ts';
import { countOnTerminal } from '../../command-line/progress.ts';
import { sentence } from '../../command-line/report-error.ts';
import { inParallel, parallelCalls } from '../table/in-parallel.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { readEach, retryUntilAvailable } from '../table/write.ts';
import { argument, examples, serve } from './command.ts';
import { readText } from './read-text.ts';

/** The columns of CSV whose cells hold JSON. */
const jsonColumns = ['documents', 'payment'];

interface Importing {
  /** What operators call one. */
  readonly noun: 'payment request' | 'offer';
  /** What a line may leave out besides `created`. */
  readonly defaults: object;
  /** What `--send` does. There is no such option without it. */
  readonly send?: string;
  readonly help: string;
  /** A line of JSON Lines, for the help. */
  readonly json: string;
  /** The columns that CSV must have, as its first line, and a row of them. */
  readonly columns: string;
  readonly row: string;
}

interface ValueFault {
  /** The member or column; empty for the line as a whole. */
  readonly place: string;
  readonly sentence: string;
  readonly value: unknown;
}

interface LineFault extends ValueFault {
  readonly number: number;
}

interface Line {
  readonly number: number;
  /** The line that names its members. */
  readonly names: number;
  readonly value: unknown;
  /** What its text says otherwise than its value. */
  readonly faults: readonly ValueFault[];
}

/** A line without a fault, and the message that it is. */
interface Entry {
  readonly number: number;
  readonly message: RecordMessage;
}

export const importCommand = (importing: Importing) => {
  const command = new Command('import')
    .description(`Import ${importing.noun}s from JSON Lines or CSV, if no line has a fault.`)
    .argument('<file>', 'the file to import, which ends in .jsonl or .csv')
    .requiredOption('--workspace <id>', 'the workspace they belong to', argument(WorkspaceId));
  if (importing.send) command.option('--send', importing.send);
  const help = `${importing.help}

A line of JSON Lines may also be a whole message of lib/RECORDS.md, of the same workspace. Lines have the rules of
messages: a higher version replaces the record, a lower one changes nothing, and the same version with other
content is refused.
${versionSentence}

All lines are read first, and then what the table has of their ids. If lines are wrong by themselves, or beside the
table, up to 100 faults are printed with their lines and nothing is written. Faults beside the table are printed
when no line is wrong by itself. Running the same command again is safe, and continues an import that was
interrupted. It prints how many lines changed nothing, because the table has their version or a higher one.
${examples(`${importing.noun.replace(' ', '-')} import october.csv --workspace wsp_demo`)}

  ${importing.json}

  ${importing.columns}
  ${importing.row}`;
  return serve(command, help, async ({ operator }, options, file) => {
    const { workspace } = options;
    const { send = false } = options as { readonly send?: boolean };
    const lines = readLines(file, importing);
    await requireWorkspace(workspace);
    const { entries, faults } = entriesOf(lines, workspace, importing, send);
    refuse(faults, 'Nothing was imported.');
    const looking = readEach(entries.map(({ message }) => recordKey(message)));
    const found = await Array.fromAsync(countOnTerminal('ids', looking));
    const faultsInTable = entries.flatMap((entry, index) => {
      const result = changeOf(entry, send, found[index]);
      return 'fault' in result ? [result.fault] : [];
    });
    refuse(faultsInTable, 'Nothing was imported.');
    return { value: { lines: lines.length, ...(await saveAll(entries, send, await operator())) } };
  });
};

const versionSentence =
  'The version is the one that your own system has of the record; write 1 only if the system that sends records goes on from 2. The command show prints the version that the table has.';

const inDigits = (count: number): string => count.toLocaleString('en');

/** So many faults a person reads at once. */
const printedMost = 100;

/** @throws AdminError with the faults in the order of their lines, if there are any */
const refuse = (faults: readonly LineFault[], outcome: string): void => {
  if (faults.length === 0) return;
  const sorted = faults.toSorted((one, other) => one.number - other.number);
  const more = faults.length - printedMost;
  const lines = [outcome, ...sorted.slice(0, printedMost).map(lineOf)];
  if (more > 0) lines.push(`${inDigits(more)} more faults are not shown.`);
  throw new AdminError(lines.join('\n'));
};

const lineOf = ({ number, place, sentence, value }: LineFault): string => {
  const at = place && ` ${plain(place)}:`;
  const found = value === undefined ? '' : ` Found: ${shown(value)}`;
  return `line ${number}:${at} ${sentence}${found}`;
};

/** So many characters of a value say which one it is. */
const shownMost = 40;

/** The start of a value, as JSON writes it. */
const shown = (value: unknown): string => {
  // Each has at least one character. More could be nested too deeply to be written.
  let values = 0;
  const text = JSON.stringify(value, (_, each) => (values++ < shownMost ? each : null));
  const characters = [...plain(text)];
  return `${characters.slice(0, shownMost).join('')}${characters.length > shownMost ? '…' : ''}`;
};

/** @throws AdminError when the file cannot be read, has no line, or no line has a version */
const readLines = (file: string, importing: Importing): Line[] => {
  const format = /\.(jsonl|csv)$/.exec(file.toLowerCase())?.[1];
  if (!format) throw new UsageError(`${file} does not end in .jsonl or .csv.`);
  const text = readText(file);
  const lines = format === 'csv' ? csvLines(text, importing) : jsonLines(text);
  if (lines.length === 0) throw new AdminError(`${file} has no line to import.`);
  if (lines.every(({ value }) => isObject(value) && value.version === undefined)) {
    throw new AdminError(`Nothing was imported. No line has a version. ${versionSentence}`);
  }
  return lines;
};

/** A line is text up to a line feed: JSON may hold U+2028, at which others split too. */
const jsonLines = (text: string): Line[] =>
  text.split(/\r?\n/).flatMap((line, index) => {
    const number = index + 1;
    return line.trim() ? [{ number, names: number, ...jsonIn(line) }] : [];
  });

/** A value of JSON; the text itself where it is none. */
const jsonIn = (text: string, place = ''): Pick<Line, 'value' | 'faults'> => {
  try {
    const value: unknown = JSON.parse(text);
    // A cell is a member of its line.
    const losses = lossesIn(place ? `[${text}]` : text);
    const faults = losses.map(({ pointer, ...loss }) => ({
      place: place || placeOf(pointer),
      ...loss,
    }));
    return { value, faults };
  } catch {
    return { value: text, faults: [{ place, sentence: 'Is not JSON.', value: text }] };
  }
};

/**
 * The first record names the columns: `period.starts` is the member `starts` of `period`. An empty
 * cell is no value, and a record of empty cells is none.
 */
const csvLines = (text: string, importing: Importing): Line[] => {
  const columns = importing.columns.split(',');
  return csvRecords(text, importing).map(({ record, info }) => {
    const value: Record<string, unknown> = {};
    const faults: ValueFault[] = [];
    for (const [column, cell] of Object.entries(record)) {
      if (cell === '') continue;
      // Any other column with a point is an unknown field.
      const isNested = columns.includes(column);
      const [name = '', member] = isNested ? column.split('.') : [column];
      const read = cellIn(name, cell);
      value[name] = member ? { ...(value[name] as object), [member]: cell } : read.value;
      faults.push(...read.faults);
    }
    return { number: info.lines, names: 1, value, faults };
  });
};

const cellIn = (column: string, cell: string): Pick<Line, 'value' | 'faults'> => {
  if (jsonColumns.includes(column)) return jsonIn(cell, column);
  if (column !== 'version') return { value: cell, faults: [] };
  // Excel writes a long number with an exponent, and its last digits are gone.
  if (/^\d{1,15}$/.test(cell)) return { value: Number(cell), faults: [] };
  const sentence = 'Must be a whole number in digits.';
  return { value: cell, faults: [{ place: column, sentence, value: cell }] };
};

const csvRecords = (text: string, importing: Importing) => {
  try {
    return parse<{ record: Record<string, string>; info: { lines: number } }>(text, {
      // The list separator of Excel is that of its country, where the comma is the decimal one.
      delimiter: /^[^,]*;/.test(text) ? ';' : ',',
      // Python writes the first on Windows, and files that were joined have several.
      record_delimiter: ['\r\r\n', '\r\n', '\n', '\r'],
      columns: (names) => columnsOf(names, importing),
      info: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.lines === 1) columnsOf(text.split(/[\r\n]/, 1), importing);
    throw new AdminError(`Nothing was imported. ${plain(error.message)}.`);
  }
};

/**
 * @throws AdminError when a column is missing, which is a fault of the header and not of each line;
 * or when two columns have one name: the parser would keep the last one only
 */
const columnsOf = (names: readonly string[], { columns }: Importing) => {
  const required = new Set(['version', ...columns.split(',')]);
  const missing = [...required].filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const advice = missing.includes('version') ? ` ${versionSentence}` : '';
    throw new AdminError(
      `Nothing was imported. The first line must name the columns, separated by commas or semicolons. ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing; it has ${names.map(shown).join(', ')}.${advice}`,
    );
  }
  const repeated = names.find((name, index) => name && names.indexOf(name) < index);
  if (repeated) {
    throw new AdminError(`Nothing was imported. The column ${shown(repeated)} occurs twice.`);
  }
  // An object would not keep __proto__.
  return names.map((name, index) =>
    name && !name.includes('__proto__') ? name : `column ${index + 1}`,
  );
};

const entriesOf = (
  lines: readonly Line[],
  workspace: string,
  { noun, defaults }: Importing,
  isSending: boolean,
) => {
  const common = { ...defaults, created: new Date().toISOString() };
  const firstLines = new Map<string, number>();
  const unknown = new Set<string>();
  const entries: Entry[] = [];
  const faults: LineFault[] = [];
  const member = noun.replace(' ', '_');
  for (const { number, names, value, faults: ofText } of lines) {
    const message = messageOf(value, member, workspace);
    const record = message[member];
    if (message.workspace !== workspace || record === undefined) {
      const sentence = `Must be a message of ${workspace} with the member ${member}.`;
      faults.push({ number, place: '', sentence, value });
      continue;
    }
    const input = {
      ...(isSending && isObject(record) && record.status === 'sent' && { send: true }),
      ...message,
      [member]: isObject(record) ? { ...common, ...record } : record,
    };
    const { data, error } = RecordMessage.safeParse(input);
    faults.push(...ofText.map((fault) => ({ number, ...fault })));
    for (const { code, ...fault } of error ? faultsIn(error, input) : []) {
      const { place } = fault;
      if (ofText.some((each) => each.place === place) || unknown.has(place)) continue;
      // Once, and not in each line: nobody would find the other faults.
      if (code === 'unknown') unknown.add(place);
      faults.push({ number: code === 'unknown' ? names : number, ...fault });
    }
    if (ofText.length > 0 || !data) continue;
    const { pk } = recordKey(data);
    const first = firstLines.get(pk);
    firstLines.set(pk, first ?? number);
    if (first) {
      const sentence = `Line ${first} has it too.`;
      faults.push({ number, place: 'id', sentence, value: Object(record).id });
    }
    entries.push({ number, message: data });
  }
  return { entries, faults };
};

/** A line is a record with its version, or a whole message. */
const messageOf = (value: unknown, member: string, workspace: string): Record<string, unknown> => {
  if (!isObject(value)) return { workspace, version: 1, [member]: value };
  if (isObject(value.payment_request) || isObject(value.offer)) return value;
  const { version, ...record } = value;
  return { workspace, version, [member]: record };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What is wrong, and where: `/offer/recipient_email` is the member `recipient_email` of a line,
 * and `/payment_request/period/starts` the member and the column `period.starts`.
 */
const faultsIn = (error: Parameters<typeof faultsOf>[0], input: object) =>
  faultsOf(error, input, inBody).map(({ code, detail: sentence, ...at }) => {
    const pointer = 'pointer' in at ? at.pointer : '';
    const value = namesIn(pointer).reduce<unknown>((inner, name) => Object(inner)[name], input);
    return { code, place: placeOf(pointer), sentence, value };
  });

const namesIn = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

const placeOf = (pointer: string) =>
  namesIn(pointer)
    .filter((name) => name !== 'payment_request' && name !== 'offer')
    .join('.');

/** What a line changes beside the items that are there, or why it cannot be imported. */
const changeOf = (
  { number, message }: Entry,
  isSending: boolean,
  stored: Item | undefined,
): { readonly change: RecordChange } | { readonly fault: LineFault } => {
  const faultOf = (sentence: string) => {
    const { id } = message.payment_request ?? message.offer ?? {};
    return { fault: { number, place: '', sentence, value: id } };
  };
  try {
    const change = importRecord(message, stored, newRecordStamp(message));
    if (change.attempt && !isSending) return faultOf('Mails the offer, which needs --send.');
    return { change };
  } catch (error) {
    if (!(error instanceof MessageRefused)) throw error;
    return faultOf(error.summary.faults.map(({ detail }) => detail).join(' '));
  }
};

/**
 * Saves what is news to the table.
 *
 * @returns how many records this call has created and replaced, and how many lines the table had in
 * their version or in a higher one
 * @throws AdminError when it could not save all, or another writer has made one otherwise
 */
const saveAll = async (entries: readonly Entry[], isSending: boolean, author: Author) => {
  const faults: LineFault[] = [];
  const done = { created: 0, replaced: 0, same_version: 0, higher_version: 0 };
  const isOwn = (act: unknown) => (act as Author | undefined)?.request === author.request;
  const saveOne = async (entry: Entry) => {
    const saved = await retryUntilAvailable(async () => {
      const stored = await readItem(recordKey(entry.message));
      const result = changeOf(entry, isSending, stored);
      if ('change' in result) await saveRecord(entry.message, stored, result.change, author);
      return { ...result, there: stored ?? {} };
    });
    if ('fault' in saved) {
      faults.push(saved.fault);
      return;
    }
    const { there, change } = saved;
    const { result, version, stored_version = 0 } = change.facts;
    if (result !== 'known') done[result] += 1;
    // The response to an earlier try was lost.
    else if (isOwn(there.changed)) done.replaced += 1;
    else if (isOwn(there.author)) done.created += 1;
    else done[version < stored_version ? 'higher_version' : 'same_version'] += 1;
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
