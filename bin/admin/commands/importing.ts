import { Command, Option } from '@commander-js/extra-typings';
import type { Author } from '../../../functions/domain/author.ts';
import { WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { Import } from '../merge/import-lines.ts';
import { formats, openLines, type Source } from '../merge/read-lines.ts';
import type { EntryReader } from '../merge/record-reader.ts';
import { maximumLineBytes } from '../merge/text-lines.ts';
import { argument, type Options, type Result, serve } from '../service/command.ts';
import { waitForRequests } from '../service/redacting.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { interruption } from '../terminal/interruption.ts';
import { Progress } from '../terminal/progress.ts';
import { MergeReport, runMerge } from './merging.ts';

/** The options of every import. */
export interface ImportOptions extends Options {
  readonly dryRun?: boolean | undefined;
  readonly format?: Source['format'] | undefined;
}

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
    MergeReport,
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
At most 100 findings are printed; --json reports them all.
The exit code is 1 if any line was bad, and 130 after Ctrl-C.`;

/** Imports a file. */
export const importFile = async (
  file: string,
  reader: EntryReader,
  options: ImportOptions,
): Promise<Result> => {
  const signal = interruption();
  const [bytes, lines] = [new Progress('bytes'), new Progress('lines')];
  const onRead = (read: number, total: number | undefined) => bytes.show(read, total);
  const source = { file, format: options.format, columns: reader.columns, signal, onRead };
  const importing = new Import();
  const onLines = (planned: number) => lines.show(planned, importing.lines);
  await importing.read(openLines(source), reader, { signal, onLines }).finally(() => {
    bytes.clear();
    lines.clear();
  });
  return runMerge(importing.merge(signal, waitForRequests), options);
};
