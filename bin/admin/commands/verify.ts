import { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import type { Violation } from '../kinds/kind.ts';
import { examples, serve } from '../service/command.ts';
import { invariants } from '../table/invariants.ts';
import { verifyTable } from '../table/verify-table.ts';
import { countOf, facts, plain } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';

/** Checks the whole table against the invariants. */
export const command = serve(
  new Command('verify')
    .description('Search the whole table for violated invariants. It changes nothing.')
    .addHelpText(
      'after',
      `
Prints a line for each violation. The exit code is 1 if there is any. It looks for:

${facts(invariants()).replace(/^/gm, '  ')}
${examples('verify', 'verify --json')}`,
    ),
  z.object({
    items: z.int(),
    violations: z.array(
      z.object({ code: z.string(), pk: z.string(), sk: z.string(), detail: z.string() }),
    ),
  }),
  async (_, { json }) => {
    const progress = new Progress('items');
    const violations: Violation[] = [];
    let items = 0;
    for await (const found of verifyTable()) {
      items += found.items;
      violations.push(...found.violations);
      progress.show(items);
      if (found.violations.length === 0 || json) continue;
      progress.clear();
      for (const { code, detail } of found.violations) console.log(plain(`${code}: ${detail}`));
    }
    progress.clear();
    if (violations.length > 0) process.exitCode = 1;
    return {
      value: { items, violations },
      text: () =>
        violations.length > 0
          ? `${countOf(violations.length, 'violation')} in ${countOf(items, 'item')}.`
          : `No violation in ${countOf(items, 'item')}.`,
    };
  },
);
