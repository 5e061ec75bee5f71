import { Command } from '@commander-js/extra-typings';
import { authorIn } from '../../../functions/domain/author.ts';
import { PaymentRequestId } from '../../../functions/domain/identifiers.ts';
import { Approval } from '../../../functions/domain/payment-request.ts';
import { maximumRecordBytes } from '../../../functions/domain/record.ts';
import { keys } from '../../../functions/store/keys.ts';
import { required } from '../../command-line/admin-error.ts';
import { factsWith } from '../../command-line/print.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { importCommand } from '../service/import.ts';
import { byScan, listCommand } from '../service/list.ts';
import { readPartition } from '../table/scan.ts';
import { PaymentRequestItem } from '../table/shapes.ts';

const importing = importCommand({
  noun: 'payment request',
  defaults: { note: '', documents: [], payment: null },
  help: `
A line has a version and the members of a payment request in the API but its approvals, and is not approved. It may
leave out note (empty), documents ([]), payment (null) and created (now). In CSV the period is period.starts and period.ends, and documents and payment hold JSON.
A payment request has at most ${maximumRecordBytes.toLocaleString('en')} bytes as JSON: an approval saves it again, in its response.`,
  json: '{"id":"ptr_1","version":1,"worker":"wr_1","amount":"1250.00","currency":"USD","status":"pending","reference":"INV-1","period":{"starts":"2026-10-01","ends":"2026-10-31"}}',
  columns: 'id,version,worker,amount,currency,status,reference,period.starts,period.ends',
  row: 'ptr_1,1,wr_1,1250.00,USD,pending,INV-1,2026-10-01,2026-10-31',
});

const list = listCommand({
  noun: 'payment request',
  of: 'workspace',
  order: `without their approvals, ${byScan}`,
  statuses: PaymentRequestItem.shape.status.options,
  schema: PaymentRequestItem,
  shown: ['id', 'version', 'status', 'amount', 'currency', 'worker', 'reference', 'created'],
  example: 'payment-request list --workspace wsp_demo --status pending',
});

const show = serve(
  new Command('show')
    .description('Show a payment request with its approvals, and who made them.')
    .argument('<id>', 'its id, ptr_…', argument(PaymentRequestId)),
  examples('payment-request show ptr_approved'),
  async (_, __, id) => {
    const items = await readPartition(keys.paymentRequest(id).pk);
    const found = items.find(({ type }) => type === 'PAYMENT_REQUEST');
    const item = required(found, `There is no payment request ${id}.`);
    const request = { ...PaymentRequestItem.parse(item), author: authorIn(item) };
    const approvals = items
      .filter(({ type }) => type === 'APPROVAL')
      .map((approval) => ({ ...Approval.parse(approval), author: authorIn(approval) }));
    return {
      value: { ...request, approvals },
      text: () => factsWith(request, 'approval', approvals),
    };
  },
);

export const command = group('payment-request', 'Payment requests', importing, list, show);
