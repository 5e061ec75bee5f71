import { Command } from 'commander';
import { examples, withService } from '../service/command.ts';
import { AuthorCheck } from '../table/author-check.ts';
import { SandboxOwners } from '../table/sandbox-owners.ts';
import { scanPartitions } from '../table/scan.ts';
import { counted } from '../terminal/progress.ts';
import type { EntryReader } from '../transfer/entry.ts';
import { recordReader } from '../transfer/record.ts';
import {
  addImportOptions,
  type ImportCommandOptions,
  importRules,
  reportImport,
} from '../transfer/report-import.ts';

/** Imports what `export` wrote. */
export const command = addImportOptions(new Command('import'))
  .description(
    'Import what `export` wrote: create records that the table lacks, and update those that are older in the table.',
  )
  .addHelpText(
    'after',
    `${importRules}

Records that a redaction names, in the table or in the file, are imported without their personal data. If
a line finds a record in the table that is still to be redacted, or a redaction is recorded while the import
runs, the import redacts at its end. The exit code is 1 if something cannot be redacted yet.

A sandbox that was exported as provisioning is provisioned after the import, and a delivery attempt
that was exported as queued or sending is mailed.

The line of an approval, a delivery attempt, a ready sandbox or a claim is bad if what it belongs to is
neither in the table nor in the file, or belongs to another workspace; that of an approval also if its
payment request is draft or pending in both, that of a delivery attempt if its offer is a draft in both. A
record that is draft, pending, provisioning, queued or sending in the table takes the status of its line
if that is a later one; every other status in the table stays. Tokens that were revoked and managers who
were removed, in the table or in the file, stay so. A line is bad if its request made another effect, in
the table or in an earlier line; to find these, the command reads the whole table once.
${examples('import wsp_demo.jsonl --dry-run', 'import wsp_demo.jsonl', 'import - < wsp_demo.jsonl')}`,
  )
  .action(
    withService(async ({ operator }, options: ImportCommandOptions, file: string) => {
      const imported = { at: new Date().toISOString(), ...(await operator()) };
      const reader = checkedReader(recordReader(imported), await readTable());
      await reportImport(file, reader, options);
    }),
  );

/** What lines are compared with: the authors and the owners of everything in the table. */
const readTable = async () => {
  const [authors, owners] = [new AuthorCheck(), new SandboxOwners()];
  const partitions = counted('items read', scanPartitions(), ({ length }) => length);
  for await (const partition of partitions) {
    authors.add(partition);
    for (const item of partition) owners.add(item);
  }
  return { authors, owners };
};

/**
 * A reader to which a line is bad if its request is known to have made another effect, or its
 * sandbox has the test workspace of another workspace.
 */
const checkedReader = (
  reader: EntryReader,
  { authors, owners }: Awaited<ReturnType<typeof readTable>>,
): EntryReader => ({
  ...reader,
  read: (value) => {
    const entry = reader.read(value);
    if (Array.isArray(entry)) return entry;
    const faults = owners.add(entry.item);
    if (faults.length > 0) return faults;
    const [violation] = authors.add([entry.item]);
    if (!violation) return entry;
    return [{ pointer: '/author/request', code: 'exists_otherwise', detail: violation.detail }];
  },
});
