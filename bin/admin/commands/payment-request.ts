import { Command } from 'commander';
import * as z from 'zod/mini';
import { PaymentRequestId } from '../../../functions/domain/identifiers.ts';
import { Approval, StoredPaymentRequest } from '../../../functions/domain/payment-request.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';
import { exactJson } from '../merge/exact-json.ts';
import { Import } from '../merge/import-lines.ts';
import { maximumRecordBytes, paymentRequestLine } from '../merge/workspace-lines.ts';
import { examples, group, type Options, withService } from '../service/command.ts';
import { byScan, listCommand, scanned } from '../service/list.ts';
import { waitForRequests } from '../service/redacting.ts';
import { readPartition } from '../table/scan.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { AdminError, required, UsageError } from '../terminal/admin-error.ts';
import { factsWith, print } from '../terminal/print.ts';
import { faultSentence, importRules, workspaceImport } from './importing.ts';

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
const create = new Command('create')
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
      const read = reader.read(value);
      if (Array.isArray(read)) throw new UsageError(read.map(faultSentence).join('\n'));
      const importing = new Import();
      const { signal } = new AbortController();
      await importing.run([{ number: 1, value }], reader, {
        dryRun: false,
        signal,
        pause: waitForRequests,
      });
      for (const { errors } of importing.badLines()) {
        throw new AdminError(errors.map(faultSentence).join('\n'));
      }
      const { id } = value;
      const added = importing.counts.created > 0;
      if (!added) console.error(`${id} was there already.`);
      print(options.json, { id, workspace, added }, () => id);
    }),
  );

const importing = workspaceImport(paymentRequestLine)
  .description('Import payment requests from a JSON Lines or CSV file.')
  .addHelpText(
    'after',
    `
A line has the members of a payment request in the API. Required: id, worker, amount, currency,
reference, period. The others start as: status pending, note empty, documents [], payment null,
created now. In CSV the first line names the columns, the period is period.starts and period.ends,
and documents and payment hold JSON.
A payment request has at most ${maximumRecordBytes.toLocaleString('en')} bytes as JSON: an approval saves it again, in its answer.
${importRules}
${examples(
  'payment-request import october.csv --workspace wsp_demo --dry-run',
  'payment-request import october.jsonl --workspace wsp_demo',
)}

  {"id":"ptr_1","worker":"wr_1","amount":"1250.00","currency":"USD","reference":"INV-1","period":{"starts":"2026-10-01","ends":"2026-10-31"}}

  id,worker,amount,currency,reference,period.starts,period.ends
  ptr_1,wr_1,1250.00,USD,INV-1,2026-10-01,2026-10-31`,
  );

const list = listCommand({
  nouns: 'payment requests',
  of: '--workspace <id>',
  order: `without their approvals, ${byScan}`,
  id: PaymentRequestId,
  read: (options) => scanned('PAYMENT_REQUEST', PaymentRequestItem, keys.paymentRequest, options),
  row: ({ id, status, amount, currency, worker, reference, created }) => ({
    id,
    status,
    amount: `${amount} ${currency}`,
    worker,
    reference,
    created,
  }),
  example: 'payment-request list --workspace wsp_demo',
});

/** Its approvals are items of their own. */
const PaymentRequestItem = z.omit(StoredPaymentRequest, { approvals: true });

const show = new Command('show')
  .description('Show a payment request with its approvals: who, why and when.')
  .argument('<id>', 'its id, ptr_…')
  .addHelpText('after', examples('payment-request show ptr_approved'))
  .action(
    withService(async (_, options: Options, id: string) => {
      const items = await readPartition(keys.paymentRequest(id).pk);
      const found = items.find(({ type }) => type === 'PAYMENT_REQUEST');
      const item = required(found, `There is no payment request ${id}.`);
      const { workspace } = item;
      const request = PaymentRequestItem.parse(item);
      const approvals = items
        .filter(({ type }) => type === 'APPROVAL')
        .map((approval) => Approval.parse(approval));
      print(options.json, { workspace, ...request, approvals }, () =>
        factsWith(
          {
            'payment request': id,
            workspace,
            worker: request.worker,
            amount: `${request.amount} ${request.currency}`,
            status: request.status,
            reference: request.reference,
            note: request.note,
            period: `${request.period.starts} to ${request.period.ends}`,
            documents: request.documents,
            payment: request.payment ?? 'none',
            created: request.created,
          },
          'approval',
          approvals.map(({ id, approver, created: when, reason }) => ({
            id,
            approver,
            when,
            reason,
          })),
        ),
      );
    }),
  );

/** Creates, imports, lists and shows payment requests. */
export const command = group('payment-request', 'Payment requests', create, importing, list, show);
