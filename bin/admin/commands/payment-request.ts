import { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { PaymentRequestId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { Approval, StoredPaymentRequest } from '../../../functions/domain/payment-request.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';
import { approval } from '../kinds/approval.ts';
import { paymentRequest } from '../kinds/payment-request.ts';
import { carryOut } from '../merge/carry-out.ts';
import { exactJson } from '../merge/exact-json.ts';
import { Import } from '../merge/import-lines.ts';
import { maximumRecordBytes, paymentRequestLine } from '../merge/workspace-lines.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { byScan, listCommand } from '../service/list.ts';
import { waitForRequests } from '../service/redacting.ts';
import { showCommand } from '../service/show.ts';
import { readPartition } from '../table/scan.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { factsWith } from '../terminal/print.ts';
import { reply } from '../terminal/report-error.ts';
import { importRules, workspaceImport } from './importing.ts';
import { faultSentence } from './merging.ts';

const json = (text: string): unknown => {
  const parsed = exactJson(text);
  if ('fault' in parsed) throw new UsageError(`${text.slice(0, 60)}: ${parsed.fault}`);
  return parsed.value;
};

/**
 * Creates a payment request by the rules of an import's line. `--starts` and `--ends` are the
 * period; the other options have the names of their members.
 */
const create = serve(
  new Command('create')
    .description('Create a payment request.')
    .requiredOption('--workspace <id>', 'the workspace that it belongs to', argument(WorkspaceId))
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
    ),
  z.object({ id: PaymentRequestId, workspace: WorkspaceId, added: z.boolean() }),
  async ({ operator }, { workspace, starts, ends, ...options }) => {
    await requireWorkspace(workspace);
    const { opaque, created: now } = newIdentity();
    const reader = paymentRequestLine(workspace, now, await operator());
    const named: Readonly<Record<string, unknown>> = options;
    const members = (reader.columns ?? []).map(({ name }) => [name, named[name]] as const);
    const given = Object.fromEntries(members.filter(([, value]) => value !== undefined));
    const value = { id: `ptr_${opaque}`, ...given, period: { starts, ends } };
    const read = reader.read(value);
    if (Array.isArray(read)) throw new UsageError(read.map(faultSentence).join('\n'));
    const importing = new Import();
    const { signal } = new AbortController();
    await importing.read([{ number: 1, value }], reader, { signal, onLines: () => {} });
    const counts = { created: 0, updated: 0, present: 0 };
    const merge = { ...importing.merge(signal, waitForRequests), onDone: () => {} };
    await reply(`\`payment-request show ${value.id}\` shows it.`, carryOut(merge, counts));
    const [finding] = importing.findings.list();
    if (finding?.finding === 'bad_line') {
      throw new AdminError(finding.errors.map(faultSentence).join('\n'));
    }
    const { id } = value;
    const added = counts.created > 0;
    if (!added) console.error(`${id} was there already.`);
    return { value: { id, workspace, added }, text: () => id };
  },
);

const importing = workspaceImport(
  'Import payment requests from a JSON Lines or CSV file.',
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
  paymentRequestLine,
);

/** Its approvals are items of their own. */
const PaymentRequestItem = z.omit(StoredPaymentRequest, { approvals: true });

const list = listCommand({
  kind: paymentRequest,
  of: '--workspace <id>',
  order: `without their approvals, ${byScan}`,
  element: PaymentRequestItem,
  columns: ['id', 'status', 'amount', 'currency', 'worker', 'reference', 'created'],
  example: 'payment-request list --workspace wsp_demo',
});

const show = showCommand({
  kind: paymentRequest,
  description: 'Show a payment request with its approvals: who, why and when.',
  id: ['its id, ptr_…', PaymentRequestId],
  output: z.object({
    workspace: WorkspaceId,
    ...PaymentRequestItem.shape,
    approvals: z.array(Approval),
  }),
  async find(id) {
    const items = await readPartition(keys.paymentRequest(id).pk);
    const request = items.find(({ type }) => type === paymentRequest.type);
    return request && { ...request, approvals: items.filter(({ type }) => type === approval.type) };
  },
  text: ({ approvals, period, ...request }) =>
    factsWith(
      {
        'payment request': request.id,
        workspace: request.workspace,
        worker: request.worker,
        amount: `${request.amount} ${request.currency}`,
        status: request.status,
        reference: request.reference,
        note: request.note,
        period: `${period.starts} to ${period.ends}`,
        documents: request.documents,
        payment: request.payment ?? 'none',
        created: request.created,
      },
      'approval',
      approvals.map(({ id, approver, created: when, reason }) => ({ id, approver, when, reason })),
    ),
  example: 'payment-request show ptr_approved',
});

/** Creates, imports, lists and shows payment requests. */
export const command = group('payment-request', 'Payment requests', create, importing, list, show);
