import { recordReader } from '../merge/record-reader.ts';
import { examples, serve } from '../service/command.ts';
import { importFile, importRules, newImport } from './importing.ts';
import { MergeReport } from './merging.ts';

/** Imports what `export` wrote. */
export const command = serve(
  newImport()
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
if that is a later one; every other status in the table stays. Tokens that were revoked, in the table or
in the file, stay so, and of a manager the later removal or addition counts. After you import a file that
was edited, run \`verify\`: it finds requests and test workspaces that two workspaces have.
${examples('import wsp_demo.jsonl --dry-run', 'import wsp_demo.jsonl', 'import - < wsp_demo.jsonl')}`,
    ),
  MergeReport,
  async ({ operator }, options, file) => {
    const imported = { at: new Date().toISOString(), ...(await operator()) };
    return importFile(file, recordReader(imported), options);
  },
);
