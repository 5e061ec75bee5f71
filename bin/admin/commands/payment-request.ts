import { Command } from 'commander';
import * as z from 'zod/mini';
import { PaymentRequestId } from '../../../functions/domain/identifiers.ts';
import { Approval, StoredPaymentRequest } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { examples, group, type Options, withService } from '../service/command.ts';
import { byScan, listCommand, scanned } from '../service/list.ts';
import { readPartition } from '../table/scan.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { factsWith, print } from '../terminal/print.ts';
import { importRules, workspaceImport } from '../transfer/report-import.ts';
import { paymentRequestLine } from '../transfer/workspace-lines.ts';
import { create } from './payment-request-create.ts';

const importing = workspaceImport(paymentRequestLine)
  .description('Import payment requests from a JSON Lines or CSV file.')
  .addHelpText(
    'after',
    `
A line has the members of a payment request in the API. Required: id, worker, amount, currency,
reference, period. The others start as: status pending, note empty, documents [], payment null,
created now. In CSV the first line names the columns, the period is period.starts and period.ends,
and documents and payment hold JSON.
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
  read: (options) =>
    scanned(
      'PAYMENT_REQUEST',
      (item) => PaymentRequestItem.parse(item),
      keys.paymentRequest,
      options,
    ),
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
      const item = items.find(({ type }) => type === 'PAYMENT_REQUEST');
      if (!item) throw new AdminError(`There is no payment request ${id}.`);
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
