import { Command } from 'commander';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { examples, type Options, withService } from '../service/command.ts';
import { requireWorkspace } from '../table/tenants.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { print } from '../terminal/print.ts';
import { exactJson } from '../transfer/exact-json.ts';
import { readEntry } from '../transfer/import-file.ts';
import { realTable } from '../transfer/import-table.ts';
import { faultSentence } from '../transfer/report-import.ts';
import { settler } from '../transfer/settle.ts';
import { paymentRequestLine } from '../transfer/workspace-lines.ts';

/** `--starts` and `--ends` are the period; the other options have the names of their members. */
interface CreateOptions extends Options, Readonly<Record<string, unknown>> {
  readonly workspace: string;
  readonly starts: string;
  readonly ends: string;
}

const json = (text: string): unknown => {
  const parsed = exactJson(text);
  if ('fault' in parsed) throw new UsageError(`${text.slice(0, 60)}: ${parsed.fault}`);
  return parsed.value;
};

/** Creates a payment request by the rules of an import's line. */
export const create = new Command('create')
  .description('Create a payment request.')
  .requiredOption('--workspace <id>', 'the workspace that it belongs to')
  .option('--id <id>', 'its id, ptr_… (default: a new one)')
  .requiredOption('--worker <id>', 'the worker who is to be paid, wr_…')
  .requiredOption('--amount <amount>', 'such as 1250.00')
  .requiredOption('--currency <code>', 'such as USD')
  .requiredOption('--reference <text>', 'a short reference code')
  .requiredOption('--starts <date>', 'the first day of its period, such as 2026-10-01')
  .requiredOption('--ends <date>', 'the last day of its period')
  .option('--note <text>', 'free text (default: empty)')
  .option('--status <status>', 'its status (default: pending)')
  .option('--documents <json>', 'a JSON array (default: [])', json)
  .option('--payment <json>', 'a JSON object (default: null)', json)
  .option('--created <time>', 'ISO 8601 in UTC with milliseconds (default: now)')
  .addHelpText(
    'after',
    `
The rules are those of a line of \`payment-request import\`. With --id, creating it again changes nothing.
${examples(
  'payment-request create --workspace wsp_demo --worker wr_1 --amount 1250.00 --currency USD --reference INV-1 --starts 2026-10-01 --ends 2026-10-31',
)}`,
  )
  .action(
    withService(async ({ operator }, { workspace, starts, ends, ...options }: CreateOptions) => {
      await requireWorkspace(workspace);
      const { opaque, created: now } = newIdentity();
      const reader = paymentRequestLine(workspace, now, await operator());
      const members = (reader.columns ?? []).map(({ name }) => [name, options[name]] as const);
      const given = Object.fromEntries(members.filter(([, value]) => value !== undefined));
      const value = { id: `ptr_${opaque}`, ...given, period: { starts, ends } };
      const line = readEntry({ number: 1, value }, reader);
      if (Array.isArray(line.entry)) throw new UsageError(line.entry.map(faultSentence).join('\n'));
      const [settled] = await settler(realTable)([line]);
      const result = settled?.result;
      if (Array.isArray(result)) throw new AdminError(result.map(faultSentence).join('\n'));
      const { id } = value;
      if (result === 'present') console.error(`${id} was there already.`);
      print(options.json, { id, workspace, added: result === 'created' }, () => id);
    }),
  );
