import { Command } from '@commander-js/extra-typings';
import { countOf, facts, plain } from '../../command-line/print.ts';
import { examples, serve } from '../service/command.ts';
import { verifyTable } from '../service/verify-table.ts';
import { invariants } from '../table/invariants.ts';

export const command = serve(
  new Command('verify').description(
    'Search the whole table for violated invariants. It changes nothing.',
  ),
  `
Prints a line for each violation. The exit code is 1 if there is any. It looks for:

${facts(invariants).replace(/^/gm, '  ')}
${examples('verify', 'verify --json')}`,
  async () => {
    const { items, violations } = await verifyTable();
    if (violations.length > 0) process.exitCode = 1;
    const lines = violations.map(({ code, detail }) => plain(`${code}: ${detail}`));
    const count = violations.length > 0 ? countOf(violations.length, 'violation') : 'No violation';
    return {
      value: { items, violations },
      text: () => [...lines, `${count} in ${countOf(items, 'item')}.`].join('\n'),
    };
  },
);
