import { Command } from 'commander';
import { connect } from './connect.ts';
import { examples } from './options.ts';
import { recordReader } from './record.ts';
import { type ImportCommandOptions, importRules, reportImport } from './report-import.ts';

export const importCommand = new Command('import')
  .description('Import an export again: whatever of it is not in the table.')
  .argument('<file>', 'a file that `export` wrote, ending in .jsonl')
  .option('--dry-run', 'say what would happen, and write nothing')
  .addHelpText(
    'after',
    `${importRules}

What waited for a queue when it was exported waits again when it is imported: a provisioning sandbox
is provisioned, and a queued delivery attempt is mailed.
${examples('import wsp_demo.jsonl --dry-run', 'import wsp_demo.jsonl')}`,
  )
  .action(async (file: string, _, command: Command) => {
    const options = command.optsWithGlobals<ImportCommandOptions>();
    await connect(options);
    await reportImport(file, recordReader, options);
  });
