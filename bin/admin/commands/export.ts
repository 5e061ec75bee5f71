import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { examples, type Options } from '../service/options.ts';
import { withService } from '../service/with-service.ts';
import { recordLine } from '../table/kinds.ts';
import { count } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { exportItems } from '../transfer/export-items.ts';

interface ExportOptions extends Options {
  readonly workspace: string;
  readonly output?: string;
  readonly tokens?: boolean;
}

/** Exports everything that belongs to a workspace, as JSON Lines. */
export const command = new Command('export')
  .description(
    'Export everything that belongs to a workspace, as JSON Lines. This reads the whole table once.',
  )
  .requiredOption('--workspace <id>', 'the workspace')
  .option('--output <file>', 'where to write it (default: standard output)')
  .option('--tokens', 'also the hashes of its tokens; an import makes the tokens work again')
  .addHelpText(
    'after',
    `
What belongs to it: the workspace and its account with the managers; its sandboxes and everything in
their test workspaces; payment requests with their approvals; offers with their delivery attempts;
and the claims, which remember what each Idempotency-Key has done. \`import\` reads it again.
It is not a snapshot: what is written meanwhile may be in it or not.
${examples('export --workspace wsp_demo --output wsp_demo.jsonl')}`,
  )
  .action(
    withService(async (_, options: ExportOptions) => {
      const progress = new Progress('items');
      let written = 0;
      async function* lines() {
        for await (const item of exportItems(options.workspace, options.tokens ?? false)) {
          written += 1;
          if (options.output) progress.show(written);
          yield `${JSON.stringify(recordLine(item))}\n`;
        }
      }
      const output = options.output
        ? createWriteStream(options.output, { mode: 0o600 })
        : process.stdout;
      await pipeline(Readable.from(lines()), output, { end: output !== process.stdout });
      progress.clear();
      console.error(`Exported ${count(written, 'item')}.`);
    }),
  );
