import { Command } from 'commander';
import { connect } from './connect.ts';
import { examples } from './options.ts';
import { recordReader } from './record.ts';
import {
  addImportOptions,
  type ImportCommandOptions,
  importRules,
  reportImport,
} from './report-import.ts';

export const importCommand = addImportOptions(new Command('import'))
  .description('Import what `export` wrote: every record that is not in the table.')
  .addHelpText(
    'after',
    `${importRules}

A sandbox that was exported as provisioning is provisioned after the import, and a delivery attempt
that was exported as queued is mailed.
${examples('import wsp_demo.jsonl --dry-run', 'import wsp_demo.jsonl', 'import - < wsp_demo.jsonl')}`,
  )
  .action(async (file: string, _, command: Command) => {
    const options = command.optsWithGlobals<ImportCommandOptions>();
    await connect(options);
    await reportImport(file, recordReader, options);
  });
