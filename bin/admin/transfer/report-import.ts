import { Command, Option } from 'commander';
import type { Author } from '../../../functions/domain/author.ts';
import type { Fault } from '../../../functions/domain/problem.ts';
import { isUnavailable } from '../../../functions/store/availability.ts';
import { type Options, withService } from '../service/command.ts';
import { redactedText, reportUnredacted, waitForRequests } from '../service/redacting.ts';
import { type Redacted, redactAll } from '../table/redact-workspace.ts';
import { readRedactions } from '../table/redactions.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { interruptedCode, interruption } from '../terminal/interruption.ts';
import { countOf, plain, print, printedMost, shortened } from '../terminal/print.ts';
import { sentence } from '../terminal/report-error.ts';
import { totalOf } from '../terminal/tally.ts';
import type { EntryReader } from './entry.ts';
import { importFile } from './import-file.ts';
import { formats, type Source } from './read-lines.ts';
import { newTouched, type Touched } from './settle.ts';
import { maximumLineBytes } from './text-lines.ts';

/** The options of every import. */
export interface ImportCommandOptions extends Options {
  readonly dryRun?: boolean;
  readonly format?: Source['format'];
}

/** Adds what every import takes. */
export const addImportOptions = (command: Command): Command =>
  command
    .argument('<file>', 'the file to import, or - for standard input')
    .option('--dry-run', 'report what the import would do, and write nothing')
    .addOption(
      new Option('--format <format>', "the file's format, if its name does not end in it").choices(
        formats,
      ),
    );

/** The command that imports lines of one kind into a workspace. */
export const workspaceImport = (
  line: (workspace: string, now: string, author: Author) => EntryReader,
): Command =>
  addImportOptions(new Command('import'))
    .requiredOption('--workspace <id>', 'the workspace that they belong to')
    .action(
      withService(
        async (service, options: ImportCommandOptions & { workspace: string }, file: string) => {
          const { id } = await requireWorkspace(options.workspace);
          const reader = line(id, new Date().toISOString(), await service.operator());
          await reportImport(file, reader, options);
        },
      ),
    );

/** What every import's help says at its end. */
export const importRules = `
Each bad line is reported with its number and all its faults; the good lines are imported. Running the
same command again is safe, and continues an import that was interrupted with Ctrl-C. Of several lines
with one id, the first is imported.
An unknown member, a number that would lose digits, a member that occurs twice and bytes that are not
UTF-8 make a line bad. A line has at most ${maximumLineBytes.toLocaleString('en')} bytes.
At most 100 faults are printed; --json reports them all.
The exit code is 1 if any line was bad, and 130 after Ctrl-C.`;

/** Imports a file, reports the results of its lines and sets the exit code. */
export const reportImport = async (
  file: string,
  reader: EntryReader,
  { json, dryRun = false, format }: ImportCommandOptions,
): Promise<void> => {
  const signal = interruption();
  const bad: { readonly line: number; readonly errors: readonly Fault[] }[] = [];
  let [printed, hidden] = [0, 0];
  const addBad = (line: number, errors: readonly Fault[]) => {
    imported.bad += 1;
    if (json) bad.push({ line, errors });
    else if (printed >= printedMost) hidden += 1;
    else {
      for (const fault of errors) console.error(`line ${line}: ${faultSentence(fault)}`);
      printed += errors.length;
    }
  };
  const source = { file, format, columns: reader.columns, signal };
  const imported = { lines: 0, created: 0, updated: 0, present: 0, bad: 0 };
  const touched = newTouched();
  let rest: Redacted = { redacted: {}, found: {} };
  try {
    for await (const { line, result } of importFile(source, reader, dryRun, touched)) {
      imported.lines += 1;
      if (Array.isArray(result)) addBad(line, result);
      else imported[result] += 1;
    }
    if (!dryRun) rest = await redactRest(touched);
  } catch (error) {
    if (imported.lines === 0 && !isUnavailable(error)) throw error;
    const until = summary('Until then:', imported, dryRun);
    throw new AdminError(`${sentence(error)} ${until} The same command continues.`);
  } finally {
    if (hidden > 0) {
      console.error(`${countOf(hidden, 'more bad line')} are not shown; --json reports them all.`);
    }
  }
  const interrupted = signal.aborted;
  const bad_lines = bad.sort((one, other) => one.line - other.line);
  const report = { ...imported, ...rest, dry_run: dryRun, interrupted, bad_lines };
  print(json, report, () =>
    [
      summary(
        interrupted ? 'Interrupted:' : `${countOf(imported.lines, 'line')}:`,
        imported,
        dryRun,
      ),
      ...redactedText(rest.redacted),
      ...(interrupted ? ['The same command continues.'] : []),
    ].join(' '),
  );
  reportUnredacted(rest.found);
  if (interrupted) process.exitCode = interruptedCode;
  else if (imported.bad > 0) process.exitCode = 1;
};

/**
 * Ends an import: redacts what redactions name that were recorded since its lines read them, or
 * whose data a line has found in the table. `redactAll` says why nothing is left.
 */
const redactRest = async ({ recorded, found }: Touched): Promise<Redacted> => {
  const reading = [...recorded].map(async ([workspace, count]) => {
    const redactions = await readRedactions(workspace);
    return { redactions, isLate: redactions.length > count };
  });
  const read = await Promise.all(reading);
  if (totalOf(found) === 0 && !read.some(({ isLate }) => isLate)) {
    return { redacted: {}, found: {} };
  }
  return redactAll(
    read.flatMap(({ redactions }) => redactions),
    waitForRequests,
  );
};

/** What is wrong, and where: `/period/starts` is the member and the column `period.starts`. */
export const faultSentence = ({ detail, ...at }: Fault): string => {
  const pointer = 'pointer' in at ? at.pointer : '';
  const place = shortened(pointer.slice(1).replaceAll('/', '.'));
  return plain(place ? `${place}: ${detail}` : detail);
};

const summary = (
  start: string,
  { created, updated, present, bad }: Record<'created' | 'updated' | 'present' | 'bad', number>,
  dryRun: boolean,
): string =>
  [
    start,
    `${created.toLocaleString('en')} ${dryRun ? 'would be imported' : 'imported'},`,
    ...(updated > 0
      ? [`${updated.toLocaleString('en')} ${dryRun ? 'would be updated' : 'updated'},`]
      : []),
    `${present.toLocaleString('en')} there already,`,
    `${bad.toLocaleString('en')} bad.`,
  ].join(' ');
