import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actItem } from '../../bin/admin/kinds/act.ts';
import { scan } from '../../bin/admin/table/scan.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import type { Fault } from '../../functions/domain/problem.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { read } from '../../functions/store/read.ts';
import { send } from '../support/http.ts';
import { formatLines, parseLines } from '../support/json-lines.ts';
import { approve, create, resend } from '../support/keyed-operations.ts';
import { putAll } from '../support/put-all.ts';
import { newOffer, newPaymentRequest, newTenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import {
  admin,
  adminAt,
  adminJson,
  file,
  jsonAt,
  newTable,
  offerThatIs,
  sharedStackFile,
  stackFile,
  violationsAt,
  waitForSandboxes,
} from './run-admin.ts';

test('an export holds all of a workspace and nothing else, and imports as the same items', async () => {
  const tenant = await newTenant();
  const { workspace, token, manager } = tenant;
  await newPaymentRequest((await newTenant()).workspace);
  const request = await newPaymentRequest(workspace, { documents: [{ id: 'doc', pages: 2.5 }] });
  for (const reason of ['Once', 'Twice']) {
    await send(approve, { id: request.id, manager, reason }, { token, key: reason });
  }
  const recipient_email = 'bounce@simulator.amazonses.com';
  const offer = await newOffer(workspace, { status: 'draft', recipient_email });
  await adminJson('offer', 'send', offer.id, '--key', 'send');
  await send(create, { name: 'Mine' }, { token, key: 'create' });
  await waitForSandboxes(workspace);
  await offerThatIs('bounced', offer.id);

  const exported = await admin('export', '--workspace', workspace, '--tokens');

  const lines = parseLines(exported.stdout);
  const types = lines.map(({ type }) => type).sort();
  expect(types).toEqual(
    [
      ...['WORKSPACE', 'MANAGER', 'TOKEN', 'PAYMENT_REQUEST', 'APPROVAL', 'APPROVAL'],
      ...['OFFER', 'DELIVERY', 'SANDBOX', 'CLAIM', 'CLAIM', 'CLAIM', 'CLAIM'],
      ...['WORKSPACE', 'MANAGER', 'PAYMENT_REQUEST', 'OFFER', 'DELIVERY'],
    ].sort(),
  );
  expect(exported.stdout).not.toContain(token);

  const path = file('export.jsonl', exported.stdout);
  const table = await newTable();
  const fresh = stackFile({ table });
  const importReport = () => jsonAt(fresh, 'import', path);
  expect(await importReport()).toMatchObject({ created: lines.length, present: 0, findings: {} });
  expect(await importReport()).toMatchObject({ created: 0, present: lines.length, findings: {} });
  expect(await adminJson('import', path)).toMatchObject({ created: 0, present: lines.length });

  const again = await adminAt(fresh, 'export', '--workspace', workspace, '--tokens');
  expect(sorted(again.stdout)).toEqual(sorted(exported.stdout));
  const items = await Array.fromAsync(scan({ TableName: table }));
  expect(items).toHaveLength(lines.length);
  for (const { imported, ...item } of items) {
    expect(imported).toMatchObject({ actor: expect.stringContaining('operator:'), version: 'v1' });
    expect(item).toEqual(await read({ pk: String(item.pk), sk: String(item.sk) }));
  }
  const verified = await adminAt(fresh, 'verify');
  expect([verified.code, verified.stdout]).toEqual([0, `No violation in ${lines.length} items.\n`]);
});

const sorted = (jsonLines: string) =>
  parseLines(jsonLines)
    .map((line) => JSON.stringify(Object.entries(line).sort()))
    .sort();

test('an export that was edited for another workspace links no payment or offer of the first', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const { workspace, token, manager } = tenant;
  const request = await newPaymentRequest(workspace);
  const target = { id: request.id, manager, reason: 'Only for its worker' };
  await send(approve, target, { token, key: 'approve' });
  const offer = await newOffer(workspace);
  await send(resend, offer, { token, key: 'resend' });
  await offerThatIs('sent', offer.id);
  const own = (await admin('export', '--workspace', workspace)).stdout;
  const records = parseLines(own).filter(
    (line) => line.type !== 'WORKSPACE' && (line.workspace !== undefined || line.approver),
  );
  const made = [
    ['DELIVERY', { id: `dlv_${newOpaque()}` }],
    ['APPROVAL', { id: `apprdec_${newOpaque()}` }],
  ].map(([type, fields]) => ({
    ...records.find((line) => line.type === type),
    author: newAuthor(`tok_${newOpaque()}`, newOpaque()),
    ...(fields as object),
  }));
  const edited = formatLines([...records, ...made]).replaceAll(workspace, other.workspace);
  // An approval names no workspace: beside the first tenant's lines it is one of theirs.
  const withoutApprovals = edited.replaceAll(/^.*"APPROVAL".*\n/gm, '');
  const typesOf = (lines: string) => parseLines(lines).map(({ type }) => type);

  for (const [at, before, added] of [
    [sharedStackFile, '', edited],
    [stackFile({ table: await newTable() }), own, withoutApprovals],
  ] as const) {
    const path = file('edited.jsonl', before + added);
    const foreseen = await jsonAt(at, 'import', path, '--dry-run');
    const done = await jsonAt(at, 'import', path);
    expect({ ...foreseen, dry_run: false }).toEqual(done);
    const first = typesOf(before).length;
    type Bad = { readonly line: number; readonly errors: readonly Fault[] };
    const bad: string[] = done.list.map(({ line, errors: [fault] }: Bad) =>
      [typesOf(added)[line - 1 - first], fault?.detail].join(': '),
    );
    expect([done.created, bad.length]).toEqual([first, typesOf(added).length]);
    expect(bad).toEqual(
      expect.arrayContaining([
        `DELIVERY: The offer ${offer.id} belongs to another workspace.`,
        expect.stringMatching(/^CLAIM: The DELIVERY#.* belongs to another workspace.$/),
        expect.stringMatching(/^CLAIM: The APPROVAL#.* belongs to another workspace.$/),
      ]),
    );
    const ofApprovals = `APPROVAL: The payment request ${request.id} belongs to another workspace.`;
    expect(bad.filter((each) => each === ofApprovals)).toHaveLength(before ? 0 : 2);
  }
  const answer = await send(resend, offer, { token: other.token, key: 'resend' });
  expect(answer.body).toMatchObject({ code: 'offer_not_found' });
});

test('verify finds the sandbox of an export that was edited for another workspace', async () => {
  const [{ workspace, token }, other] = [await newTenant(), await newTenant()];
  await send(create, { name: 'Mine' }, { token });
  await waitForSandboxes(workspace);
  const own = (await admin('export', '--workspace', workspace)).stdout;
  const sandboxes = parseLines(own).filter(({ type }) => type === 'SANDBOX');
  const edited = formatLines(sandboxes).replaceAll(workspace, other.workspace);
  const at = stackFile({ table: await newTable() });
  await adminAt(at, 'import', file('edited.jsonl', own + edited));
  expect(await violationsAt(at)).toMatchObject([{ code: 'shared_test_workspace' }]);
});

test('holds an act of an operator once, wherever it lies', async () => {
  const { workspace } = await newTenant();
  const act = { what: 'message redriven', queue: 'delivery', message_id: 'm', workspace } as const;
  const acts = [act, { ...act, offer: (await newOffer(workspace)).id }];
  const items = acts.map((each) => actItem(each, author));
  await putAll(items);
  const { stdout } = await admin('export', '--workspace', workspace);
  const exported = parseLines(stdout).filter(({ type }) => type === 'ACT');
  expect(exported.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
});

test('an act of another workspace beside an offer does not make it an offer of that workspace', async () => {
  const [{ workspace }, other] = [await newTenant(), await newTenant()];
  const { id, recipient_email } = await newOffer(workspace);
  const message = { what: 'message redriven', queue: 'delivery', message_id: 'm' } as const;
  const acted = { ...message, workspace: other.workspace, offer: id };
  await putAll([actItem(acted, author)]);
  expect((await admin('export', '--workspace', workspace)).stdout).toContain(recipient_email);
  expect((await admin('export', '--workspace', other.workspace)).stdout).not.toContain(id);
});

test('a person gets saved answers as their client got them', async () => {
  const { workspace, token, manager } = await newTenant();
  const { id, worker } = await newPaymentRequest(workspace);
  const target = { id, manager, reason: 'Matches the timesheet' };
  await send(approve, target, { token });
  const { text } = await send(approve, target, { token, key: 'k' });

  const { items } = await adminJson('export', '--workspace', workspace, '--worker', worker);

  const claims = items.filter(({ type }: { type: string }) => type === 'CLAIM');
  expect(claims).toMatchObject([{ key: 'k', result: text }]);
});

test('leaves the tokens out by default', async () => {
  const { workspace } = await newTenant();
  const { stdout } = await admin('export', '--workspace', workspace);
  expect(stdout).not.toContain('TOKEN');
});

test('a line that is no record is reported', async () => {
  const path = file('records.jsonl', '{"type":"SECRET"}\n{"type":"WORKSPACE","id":"wsp_x"}\n[]\n');
  const { code, stderr } = await admin('import', path);
  expect(code).toBe(1);
  expect(stderr).toContain('line 1: type: Must be one of ACCOUNT, WORKSPACE');
  expect(stderr).toContain('line 2: account: Is required.');
  expect(stderr).toContain('line 3: type: ');
});

/** Any text, with those characters in it that some reader takes for the end of a line. */
const anyText = fc.string({
  unit: fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\u2028', '\u2029', '\u0085', '"', '\\', ',', '\ufeff'),
    },
  ),
  minLength: 1,
  maxLength: 40,
});

test('whatever text the API accepts survives an export and an import', async () => {
  const { workspace, token, manager } = await newTenant();
  const request = await newPaymentRequest(workspace);
  const accepted = { names: 0, reasons: 0 };
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const [created, approved] = await Promise.all([
        send(create, { name: text }, { token }),
        send(approve, { id: request.id, manager, reason: text }, { token }),
      ]);
      for (const { status } of [created, approved]) expect([200, 201, 400]).toContain(status);
      accepted.names += Number(created.status === 201);
      accepted.reasons += Number(approved.status === 200);
    }),
    { numRuns: 60, examples: [['a\u2028b'], ['\u2029a\u2028\u2029b']] },
  );
  expect(accepted.names).toBeGreaterThan(20);
  expect(accepted.reasons).toBeGreaterThan(20);
  await waitForSandboxes(workspace);

  const exported = await admin('export', '--workspace', workspace, '--tokens');
  const fresh = stackFile({ table: await newTable() });
  const path = file('any-text.jsonl', exported.stdout);
  const imported = await adminAt(fresh, 'import', path);
  expect([imported.code, imported.stderr]).toEqual([0, '']);
  const again = await adminAt(fresh, 'export', '--workspace', workspace, '--tokens');
  expect(sorted(again.stdout)).toEqual(sorted(exported.stdout));
});
