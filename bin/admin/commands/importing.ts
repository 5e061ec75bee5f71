import { Command, Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import type { Author } from '../../../functions/domain/author.ts';
import { WorkspaceId } from '../../../functions/domain/identifiers.ts';
import type { Fault } from '../../../functions/domain/problem.ts';
import { isUnavailable } from '../../../functions/store/availability.ts';
import { shortened } from '../merge/exact-json.ts';
import { type BadLine, Import } from '../merge/import-lines.ts';
import { formats, openLines, type Source } from '../merge/read-lines.ts';
import type { EntryReader } from '../merge/record-reader.ts';
import { maximumLineBytes } from '../merge/text-lines.ts';
import { argument, type Options, type Result, serve } from '../service/command.ts';
import { redactedText, reportUnredacted, waitForRequests } from '../service/redacting.ts';
import { TallySchema } from '../table/tally.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { interruptedCode, interruption } from '../terminal/interruption.ts';
import { countOf, plain, printedMost } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { sentence } from '../terminal/report-error.ts';

/** The options of every import. */
export interface ImportOptions extends Options {
  readonly dryRun?: boolean | undefined;
  readonly format?: Source['format'] | undefined;
}

const count = z.int();
/** What an import prints. */
export const ImportReport = z.object({
  lines: count,
  created: count,
  updated: count,
  present: count,
  bad: count,
  redacted: TallySchema,
  found: TallySchema,
  dry_run: z.boolean(),
  interrupted: z.boolean(),
  bad_lines: z.array(z.object({ line: count, errors: z.array(z.record(z.string(), z.string())) })),
});

/** The command `import`, with what every import takes. */
export const newImport = () =>
  new Command('import')
    .argument('<file>', 'the file to import, or - for standard input')
    .option('--dry-run', 'report what the import would do, and write nothing')
    .addOption(
      new Option('--format <format>', "the file's format, if its name does not end in it").choices(
        formats,
      ),
    );

/** The command that imports lines of one kind into a workspace. */
export const workspaceImport = (
  description: string,
  help: string,
  line: (workspace: string, now: string, author: Author) => EntryReader,
) =>
  serve(
    newImport()
      .description(description)
      .requiredOption(
        '--workspace <id>',
        'the workspace that they belong to',
        argument(WorkspaceId),
      )
      .addHelpText('after', help),
    ImportReport,
    async (service, options, file) => {
      const { id } = await requireWorkspace(options.workspace);
      const reader = line(id, new Date().toISOString(), await service.operator());
      return importFile(file, reader, options);
    },
  );

/** What every import's help says at its end. */
export const importRules = `
Each bad line is reported with its number and all its faults; the good lines are imported. Running the
same command again is safe, and continues an import that was interrupted with Ctrl-C. Of several lines
with one id, the first is imported. All lines are read before the first is written.
An unknown member, a number that would lose digits, a member that occurs twice and bytes that are not
UTF-8 make a line bad. A line has at most ${maximumLineBytes.toLocaleString('en')} bytes.
At most 100 faults are printed; --json reports them all.
The exit code is 1 if any line was bad, and 130 after Ctrl-C.`;

/** Imports a file, prints the faults of its lines and sets the exit code. */
export const importFile = async (
  file: string,
  reader: EntryReader,
  { json, dryRun = false, format }: ImportOptions,
): Promise<Result> => {
  const signal = interruption();
  const [bytes, lines] = [new Progress('bytes'), new Progress('lines')];
  const onRead = (read: number, total: number | undefined) => bytes.show(read, total);
  const source = { file, format, columns: reader.columns, signal, onRead };
  const importing = new Import();
  const { counts } = importing;
  const onLines = (done: number) => lines.show(done, counts.lines);
  const end = await importing
    .run(openLines(source), reader, { dryRun, signal, pause: waitForRequests, onLines })
    .catch((error: unknown) => ({ error }));
  lines.clear();
  const bad_lines = [...importing.badLines()];
  if (!json) printFaults(bad_lines);
  if (end) {
    const { error } = end;
    if (counts.created + counts.updated === 0 && !isUnavailable(error)) throw error;
    const until = summary('Until then:', counts, dryRun);
    throw new AdminError(`${sentence(error)} ${until} The same command continues.`);
  }
  const interrupted = signal.aborted;
  const { redacted, found } = importing.redacted;
  reportUnredacted(found);
  if (interrupted) process.exitCode = interruptedCode;
  else if (counts.bad > 0) process.exitCode = 1;
  return {
    value: { ...counts, redacted, found, dry_run: dryRun, interrupted, bad_lines },
    text: () =>
      [
        summary(interrupted ? 'Interrupted:' : `${countOf(counts.lines, 'line')}:`, counts, dryRun),
        ...redactedText(redacted),
        ...(interrupted ? ['The same command continues.'] : []),
      ].join(' '),
  };
};

const printFaults = (lines: readonly BadLine[]): void => {
  let printed = 0;
  for (const [index, { line, errors }] of lines.entries()) {
    if (printed >= printedMost) {
      const rest = countOf(lines.length - index, 'more bad line');
      console.error(`${rest} are not shown; --json reports them all.`);
      return;
    }
    for (const fault of errors) console.error(`line ${line}: ${faultSentence(fault)}`);
    printed += errors.length;
  }
};

/** What is wrong, and where: `/period/starts` is the member and the column `period.starts`. */
export const faultSentence = ({ detail, ...at }: Fault): string => {
  const pointer = 'pointer' in at ? at.pointer : '';
  const place = shortened(pointer.slice(1).replaceAll('/', '.'));
  return plain(place ? `${place}: ${detail}` : detail);
};

const summary = (
  start: string,
  { created, updated, present, bad }: Import['counts'],
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
