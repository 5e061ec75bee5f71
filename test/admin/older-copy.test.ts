import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { test as base, describe, expect } from 'vitest';
import type { Entry } from '../../bin/admin/merge/record-reader.ts';
import { recordReader } from '../../bin/admin/merge/record-reader.ts';
import { loadOffer } from '../../bin/admin/table/offers.ts';
import { filterBy, type Item, scan } from '../../bin/admin/table/scan.ts';
import { fixtures, Sandbox } from '../../functions/domain/sandbox.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { documents, table } from '../../functions/store/client.ts';
import { keys } from '../../functions/store/keys.ts';
import { fixtureItems, sandboxItem } from '../../functions/store/sandboxes.ts';
import { errorAnswer } from '../support/fault-proxy.ts';
import { send } from '../support/http.ts';
import { parseLines } from '../support/json-lines.ts';
import {
  approve,
  create,
  isSuccess,
  type KeyedOperation,
  resend,
} from '../support/keyed-operations.ts';
import { removeAll } from '../support/put-all.ts';
import {
  newManager,
  newOffer,
  newPaymentRequest,
  newTenant,
  revoke,
  type Tenant,
} from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { jsonl } from './lines.ts';
import {
  admin,
  adminAt,
  adminJson,
  newTable,
  proxiedStackFile,
  sharedStackFile,
  stackFile,
  violationsAt,
  waitForSandboxes,
} from './run-admin.ts';

const exported = async (workspace: string, at = sharedStackFile): Promise<Item[]> => {
  const { stdout } = await adminAt(at, 'export', '--workspace', workspace, '--tokens');
  return parseLines(stdout);
};

/** The name of a table of these items as they would be without an import. */
const copyOf = (lines: readonly Item[]): Promise<string> => {
  const { read } = recordReader({ ...author, at: new Date().toISOString() });
  const items = lines.map(({ hash: _, ...fields }, index) => {
    const { pk, sk } = (read(lines[index]) as Entry).item;
    return { pk, sk, ...fields };
  });
  return newTable(items);
};

const importReport = async (at: string, lines: readonly Item[], ...more: string[]) => {
  const { stdout, stderr } = await adminAt(at, 'import', jsonl(...lines), '--json', ...more);
  return stdout ? JSON.parse(stdout) : stderr;
};

const byType = (lines: readonly Item[], wanted: string) =>
  lines.filter(({ type }) => type === wanted);

/** Tries again with its key while the outcome is unknown, as on a busy machine. */
const sendUntilDone = async <Target>(
  operation: KeyedOperation<Target>,
  target: Target,
  { token }: Tenant,
) => {
  const sender = { token, key: newOpaque() };
  await expect.poll(() => send(operation, target, sender)).toSatisfy(isSuccess);
};

const approveAs = (tenant: Tenant, id: string) =>
  sendUntilDone(approve, { ...tenant, id, reason: 'Matches the timesheet' }, tenant);

const setRequest = (id: string, status: string, payment: object | null) =>
  documents.send(
    new UpdateCommand({
      TableName: table(),
      Key: keys.paymentRequest(id),
      UpdateExpression: 'SET #status = :status, payment = :payment',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': status, ':payment': payment },
    }),
  );

/** A workspace, and what is exported of it before and after much has happened. */
const test = base.extend('exports', { scope: 'file' }, async () => {
  const tenant = await newTenant();
  const { workspace } = tenant;
  const [pending, draft] = [
    await newPaymentRequest(workspace),
    await newPaymentRequest(workspace, { status: 'draft' }),
  ];
  const offers = [await newOffer(workspace), await newOffer(workspace, { status: 'draft' })];
  const resendFirst = () => sendUntilDone(resend, { id: `${offers[0]?.id}` }, tenant);
  await Promise.all([resendFirst(), sendUntilDone(create, { name: 'Mine' }, tenant)]);
  const unsent = async () => {
    const loaded = await Promise.all(offers.map(({ id }) => loadOffer(id)));
    return loaded.flatMap(({ attempts }) => attempts).filter(({ status }) => status !== 'sent');
  };
  /** The export, once the consumers have nothing left to do. */
  const waitForExport = async (): Promise<Item[]> => {
    await waitForSandboxes(workspace);
    await expect.poll(unsent).toEqual([]);
    return exported(workspace);
  };
  // As it was before the queues' consumers came to it, which nothing will do in a copy.
  const older = (await waitForExport())
    .filter((line) => !JSON.stringify(line).includes('_test_') || line.type === 'SANDBOX')
    .map(({ message_id: _, sent_at: __, ...line }) => {
      if (line.type === 'SANDBOX') return { ...line, status: 'provisioning' };
      if (line.type !== 'DELIVERY') return line;
      return { ...line, status: 'queued', updated: '2026-01-01T00:00:00.000Z' };
    });
  for (const { id } of [pending, pending, draft]) await approveAs(tenant, id);
  await setRequest(draft.id, 'paid', { id: 'pay_1' });
  await resendFirst();
  await resendFirst();
  await adminJson('offer', 'send', String(offers[1]?.id), '--key', 'send');
  return { workspace, older, newer: await waitForExport() };
});

describe('an export imported over an older copy of the table', () => {
  test.for([
    ['as it was exported', (lines: Item[]) => lines],
    ['backwards', (lines: Item[]) => lines.toReversed()],
  ] as const)('leaves nothing that verify finds, %s', async ([, ordered], { exports }) => {
    const { workspace, older, newer } = exports;
    const at = stackFile({ table: await copyOf(older) });
    const lines = ordered(newer);

    const foreseen = await importReport(at, lines, '--dry-run');
    const done = await importReport(at, lines);

    expect({ ...foreseen, dry_run: false }).toEqual(done);
    // Two payment requests, an offer, a sandbox and a delivery attempt have gone on.
    expect(done).toMatchObject({ lines: newer.length, updated: 5, findings: {} });
    expect(await violationsAt(at)).toEqual([]);
    const comparable = (all: readonly Item[]) =>
      all
        // An offer that counts more attempts was not written otherwise: the attempts have their
        // times.
        .map(({ updated, ...line }) => (line.type === 'OFFER' ? line : { ...line, updated }))
        .map((line) => JSON.stringify(Object.entries(line).sort()))
        .sort();
    expect(comparable(await exported(workspace, at))).toEqual(comparable(newer));
    expect(await importReport(at, lines)).toMatchObject({
      ...{ created: 0, updated: 0, present: newer.length, findings: {} },
    });
  });

  test('leaves nothing that verify finds when it is only a part', async ({
    exports: { older, newer },
  }) => {
    const at = stackFile({ table: await copyOf(older) });
    const { findings, list } = await importReport(at, newer.slice(newer.length / 2));
    expect(list).toHaveLength(findings.bad_line ?? 0);
    expect((await violationsAt(at)).filter(isNoWait)).toEqual([]);
    expect(await importReport(at, newer)).toMatchObject({ findings: {} });
    expect(await violationsAt(at)).toEqual([]);
  });

  test('leaves nothing that verify finds when it is broken off', async ({
    exports: { older, newer },
  }) => {
    const table = await copyOf(older);
    const { proxy, at } = await proxiedStackFile(table);
    // One after another: in what needs nothing, in what needs that, and in the claims.
    for (const [operation, calls] of [
      ['UpdateItem', [1]],
      ['TransactWriteItems', [1]],
      ['TransactWriteItems', [2]],
    ] as const) {
      proxy.inject({ operation, calls, fault: errorAnswer('AccessDeniedException') });
      expect(await importReport(at, newer)).toContain('AccessDenied');
      proxy.clear();
      expect((await violationsAt(at)).filter(isNoWait)).toEqual([]);
    }
    expect(await importReport(at, newer)).toMatchObject({ findings: {} });
    expect(await violationsAt(at)).toEqual([]);
  });

  test('imports no record without the one that it needs', async ({ exports: { older, newer } }) => {
    const at = stackFile({ table: await copyOf(older) });
    const needing = ['APPROVAL', 'DELIVERY', 'CLAIM', 'SANDBOX'];
    const lines = newer.filter(({ type }) => needing.includes(String(type)));
    // The answer of a create names a place, whatever it says.
    const [claim] = byType(newer, 'CLAIM').filter((each) => each.operation !== 'create-sandbox');
    const odd = { ...claim, key: 'odd', result: '{"odd":true}' };
    const other = { ...byType(newer, 'APPROVAL')[0], payment_request: 'ptr_gone' };

    const foreseen = await importReport(at, [...lines, odd, other], '--dry-run');
    const done = await importReport(at, [...lines, odd, other]);

    expect({ ...foreseen, dry_run: false }).toEqual(done);
    const faults = done.list.flatMap(({ errors }: { errors: { detail: string }[] }) =>
      errors.map(({ detail }) => detail.replaceAll(/[a-z]+_\w{26,}/g, '…')),
    );
    expect(new Set(faults)).toEqual(
      new Set([
        'The payment request … is still pending, in the table and in the file.',
        'The payment request … is still draft, in the table and in the file.',
        'There is no payment request ptr_gone, in the table or in the file.',
        'The offer … is still draft, in the table and in the file.',
        'There is no offer …, in the table or in the file.',
        'There is no workspace …, in the table or in the file.',
        'There is no APPROVAL#… in PAYMENT_REQUEST#…, in the table or in the file.',
        'There is no DELIVERY#… in OFFER#…, in the table or in the file.',
        'The result of the claim cannot be read.',
      ]),
    );
    expect((await violationsAt(at)).filter(isNoWait)).toEqual([]);
  });
});

test.each([
  ['as it was exported', (lines: Item[]) => lines],
  ['backwards', (lines: Item[]) => lines.toReversed()],
])('keeps revocations and removals, whichever side has them, %s', async (_, ordered) => {
  const { workspace, account, token } = await newTenant();
  const [removed, again] = [await newManager(account), await newManager(account)];
  const older = await exported(workspace);
  await revoke(token);
  for (const id of [removed, again]) {
    await adminJson('manager', 'remove', id, '--account', account, '--yes');
  }
  await adminJson('manager', 'add', again, '--account', account);
  const newer = await exported(workspace);
  const state = (lines: readonly Item[]) =>
    lines
      .filter(({ type }) => ['TOKEN', 'MANAGER'].includes(String(type)))
      .map(({ id, revoked, added, removed }) => [id, revoked, added, removed])
      .sort();

  for (const [before, file] of [
    [older, newer],
    [newer, older],
  ] as const) {
    const at = stackFile({ table: await copyOf(before) });
    const foreseen = await importReport(at, ordered(file), '--dry-run');
    const done = await importReport(at, ordered(file));
    expect({ ...foreseen, dry_run: false }).toEqual(done);
    expect([done.list, state(await exported(workspace, at))]).toEqual([[], state(newer)]);
  }
});

test('a sandbox that was imported as provisioning takes a later export of what is in it', async () => {
  const tenant = await newTenant();
  await sendUntilDone(create, { name: 'Mine' }, tenant);
  await waitForSandboxes(tenant.workspace);
  const later = await exported(tenant.workspace);
  const [line = {}] = byType(later, 'SANDBOX');
  // The run that has imported it as provisioning has made it ready, at another time.
  const sandbox = Sandbox.parse(line);
  const made = fixtureItems(fixtures(sandbox, '2020-01-01T00:00:00.000Z'));
  const ready = sandboxItem({ ...sandbox, updated: '2020-01-01T00:00:00.000Z' });
  const own = [ready, ...made].map((item): Item => ({ ...item, author: line.author }));
  const table = await newTable(own);
  const at = stackFile({ table });

  const foreseen = await importReport(at, later, '--dry-run');
  const done = await importReport(at, later);

  expect({ ...foreseen, dry_run: false }).toEqual(done);
  expect(done).toMatchObject({ findings: {}, present: own.length });
  const items = await Array.fromAsync(scan({ TableName: table }));
  expect(items).toEqual(expect.arrayContaining(own));
  expect(await violationsAt(at)).toEqual([]);
});

test('verify finds a request of which an edited export has another effect', async () => {
  const own = await newTenant();
  await sendUntilDone(create, { name: 'Mine' }, own);
  const lines = await exported(own.workspace);
  const [sandbox] = lines.filter(({ type }) => type === 'SANDBOX');
  const at = stackFile({ table: await copyOf(lines) });
  const other = { ...sandbox, id: `sbx_${newOpaque()}`, status: 'provisioning' };
  const unknown = { actor: `tok_${newOpaque()}`, request: 'made-by-hand', version: 'v1' };
  const made = () => ({ ...other, id: `sbx_${newOpaque()}`, author: unknown });

  const done = await importReport(at, [other, made(), made()]);

  expect(done).toMatchObject({ created: 3, findings: {} });
  const codes = (await violationsAt(at)).map(({ code }) => code);
  expect(codes.filter((code) => code === 'request_with_two_effects')).toHaveLength(2);
});

/** The copy's own attempt waits until a line of the file ends it. */
const isNoWait = ({ code }: { readonly code: string }) => code !== 'stuck_delivery';

test('an import undoes nothing that happens meanwhile, and loses no approval', async () => {
  const tenant = await newTenant();
  const [one, other] = [
    await newPaymentRequest(tenant.workspace),
    await newPaymentRequest(tenant.workspace),
  ];
  for (const { id } of [one, one, other]) await approveAs(tenant, id);
  await setRequest(one.id, 'paid', { id: 'pay_1' });
  const path = jsonl(...(await exported(tenant.workspace)));
  const ids = { one: one.id, other: other.id };
  const approvals = scan(filterBy('#payment_request IN (:one, :other)', ids));
  await removeAll(await Array.fromAsync(approvals));
  await setRequest(one.id, 'pending', null);
  await setRequest(other.id, 'rejected', null);

  const [{ code, stderr }] = await Promise.all([
    admin('import', path),
    ...Array.from({ length: 12 }, () => approveAs(tenant, one.id)),
  ]);

  expect([code, stderr]).toEqual([0, '']);
  const [shown, left] = [
    await adminJson('payment-request', 'show', one.id),
    await adminJson('payment-request', 'show', other.id),
  ];
  expect(shown.approvals.length).toBe(14);
  expect(['approved', 'paid']).toContain(shown.status);
  expect([left.status, left.approvals.length]).toEqual(['rejected', 1]);
});
