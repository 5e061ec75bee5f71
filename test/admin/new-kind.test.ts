import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { entriesOf, kinds, recordLine } from '../../bin/admin/kinds/all.ts';
import { type Item, type Kind, made, violation } from '../../bin/admin/kinds/kind.ts';
import { carryOut } from '../../bin/admin/merge/carry-out.ts';
import { Findings } from '../../bin/admin/merge/findings.ts';
import { Import } from '../../bin/admin/merge/import-lines.ts';
import { planRepair } from '../../bin/admin/merge/plan-restore.ts';
import { recordReader } from '../../bin/admin/merge/record-reader.ts';
import { exportItems } from '../../bin/admin/table/export-items.ts';
import { redactionItems, redactor } from '../../bin/admin/table/redactions.ts';
import { scan } from '../../bin/admin/table/scan.ts';
import { findViolations } from '../../bin/admin/table/verify-table.ts';
import { PaymentRequestId, Timestamp, WorkspaceId } from '../../functions/domain/identifiers.ts';
import { newIdentity } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { putAll } from '../support/put-all.ts';
import { newPaymentRequest, newTenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { newTable } from './run-admin.ts';

/**
 * A type of item that the service does not have, as a file of `bin/admin/kinds` would describe it.
 */
const invoice: Kind = {
  type: 'INVOICE',
  noun: 'invoice',
  shape: {
    id: z.string(),
    workspace: WorkspaceId,
    payment_request: PaymentRequestId,
    text: z.string(),
    status: z.enum(['open', 'paid']),
    created: Timestamp,
  },
  key: ({ payment_request, id }) => ({
    pk: keys.paymentRequest(String(payment_request)).pk,
    sk: `INVOICE#${id}`,
  }),
  rank: 1,
  changing: ['status'],
  beginnings: ['open'],
  need: ({ id, payment_request }) => ({
    key: keys.paymentRequest(String(payment_request)),
    member: 'payment_request',
    what: `payment request ${payment_request}`,
    code: 'invoice_without_request',
    detail: `${id} is an invoice of ${payment_request}, which does not exist.`,
  }),
  subject: ({ payment_request }) => String(payment_request),
  redaction: { after: (item) => ({ ...item, text: '' }) },
  restored: () => ({ status: 'open' }),
  trail: (item) => [made(item, 'invoice written', { text: item.text })],
  invariants: {
    invoice_without_request: 'an invoice without its payment request',
    odd_invoice: 'an invoice that is odd',
  },
  inspect: (item) => (item.text === 'odd' ? [violation('odd_invoice', item, 'It is odd.')] : []),
};

beforeAll(() => {
  kinds.INVOICE = invoice;
});
afterAll(() => {
  delete kinds.INVOICE;
});

const newInvoice = (workspace: string, payment_request: string, text = 'Text'): Item => {
  const { opaque, created } = newIdentity();
  const record = { id: `inv_${opaque}`, workspace, payment_request, text, status: 'open', created };
  return { ...invoice.key(record), type: 'INVOICE', ...record, author };
};

const { signal } = new AbortController();

/** Imports records into the table of this process. */
const importAll = async (records: readonly Item[]) => {
  const importing = new Import();
  const lines = records.map((value, index) => ({ number: index + 1, value }));
  const reader = recordReader({ ...author, at: new Date().toISOString() });
  await importing.read(lines, reader, { signal, onLines: () => {} });
  const counts = { created: 0, updated: 0, present: 0 };
  const merge = { ...importing.merge(signal, async () => {}), onDone: () => {} };
  await carryOut(merge, counts);
  return { ...counts, bad: [...importing.findings.list()] };
};

test('a new type of item is one more kind: it is exported, imported, verified, redacted, restored and trailed', async () => {
  const { workspace } = await newTenant();
  const request = await newPaymentRequest(workspace);
  const written = newInvoice(workspace, request.id);
  await putAll([written]);

  const exported = await Array.fromAsync(exportItems(workspace, false));
  expect(exported).toContainEqual(written);

  const copy = await newTable();
  vi.stubEnv('TABLE_NAME', copy);
  // Its line comes first, and needs a later one.
  const records = [written, ...exported.filter(({ type }) => type !== 'INVOICE')].map(recordLine);
  const orphan = newInvoice(workspace, 'ptr_none');
  const imported = await importAll([...records, recordLine(orphan)]);
  expect(imported).toMatchObject({
    created: records.length,
    bad: [{ errors: [{ pointer: '/payment_request', code: 'missing' }] }],
  });
  const paid = { ...recordLine(written), status: 'paid' };
  expect(await importAll([paid])).toMatchObject({ updated: 1, bad: [] });
  const other = { ...recordLine(written), text: 'Other' };
  expect(await importAll([other])).toMatchObject({ bad: [{ errors: [{ pointer: '/text' }] }] });
  expect(await findViolations()).toEqual([]);

  await putAll([orphan, newInvoice(workspace, request.id, 'odd')], copy);
  const codes = (await findViolations()).map(({ code }) => code);
  expect(codes.sort()).toEqual(['invoice_without_request', 'odd_invoice']);

  const redact = redactor(redactionItems(workspace, [request.id], author));
  expect(redact(written)).toMatchObject({ text: '' });

  const inService = await newTable(await Array.fromAsync(scan({ TableName: copy })));
  vi.stubEnv('TABLE_NAME', inService);
  const lost = newInvoice(workspace, request.id);
  await putAll([{ ...lost, status: 'paid' }], copy);
  const plan = await planRepair(copy, {
    by: { ...author, at: new Date().toISOString() },
    at: new Date().toISOString(),
    redact,
    findings: new Findings(),
    onItems: () => {},
  });
  expect(plan.counts()).toEqual({ INVOICE: 1 });
  expect([...plan.values()]).toMatchObject([{ after: { id: lost.id, status: 'open', text: '' } }]);

  expect(entriesOf([written])).toMatchObject([{ what: 'invoice written', id: written.id }]);
});
