import { Command } from 'commander';
import { examples } from '../service/options.ts';
import { withService } from '../service/with-service.ts';
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
    'Import what `export` wrote: create the records that the table lacks, update those that are older.',
  )
  .addHelpText(
    'after',
    `${importRules}

A sandbox that was exported as provisioning is provisioned after the import, and a delivery attempt
that was exported as queued or sending is mailed.

An approval, a delivery attempt, a ready sandbox or a claim is a bad line if what it belongs to is
neither in the table nor in the file, or if its payment request is draft or pending, or its offer a
draft, in both. A record that is still draft, pending, provisioning, queued or sending in the table
takes the status of its line if that is none of these; any other stays as it is.
${examples('import wsp_demo.jsonl --dry-run', 'import wsp_demo.jsonl', 'import - < wsp_demo.jsonl')}`,
  )
  .action(
    withService(async ({ operator }, options: ImportCommandOptions, file: string) => {
      const imported = { at: new Date().toISOString(), ...(await operator()) };
      await reportImport(file, recordReader(imported), options);
    }),
  );
