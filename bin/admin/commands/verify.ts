import { Command } from 'commander';
import { examples, type Options, withService } from '../service/command.ts';
import { invariants } from '../table/invariants.ts';
import { verifyTable } from '../table/verify-table.ts';
import { countOf, facts, plain, print } from '../terminal/print.ts';

/** Checks the whole table against the invariants. */
export const command = new Command('verify')
  .description('Search the whole table for violated invariants. It changes nothing.')
  .addHelpText(
    'after',
    `
Prints a line for each violation. The exit code is 1 if there is any. It looks for:

${facts(invariants).replace(/^/gm, '  ')}
${examples('verify', 'verify --json')}`,
  )
  .action(
    withService(async (_, options: Options) => {
      const { items, violations } = await verifyTable(({ code, detail }) => {
        if (!options.json) console.log(plain(`${code}: ${detail}`));
      });
      print(options.json, { items, violations }, () =>
        violations.length > 0
          ? `${countOf(violations.length, 'violation')} in ${countOf(items, 'item')}.`
          : `No violation in ${countOf(items, 'item')}.`,
      );
      if (violations.length > 0) process.exitCode = 1;
    }),
  );
