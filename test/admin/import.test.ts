import { expect, test } from 'vitest';
import { paymentRequestLine } from '../../bin/admin/payment-request-line.ts';
import { recordReader } from '../../bin/admin/record.ts';
import { newOpaque } from '../../functions/store/identifiers.ts';
import { call } from '../support/http.ts';
import { newPaymentRequest, newTenant } from '../support/tenants.ts';
import { admin, adminJson, file } from './admin.ts';

const valid = (fields: object = {}) => ({
  id: `ptr_${newOpaque()}`,
  worker: 'wr_1',
  amount: '1250.00',
  currency: 'USD',
  reference: 'INV-1',
  period: { starts: '2026-10-01', ends: '2026-10-31' },
  ...fields,
});

const jsonl = (...lines: unknown[]) =>
  file('lines.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));

const importing = (path: string, workspace: string, ...more: string[]) =>
  ['payment-request', 'import', path, '--workspace', workspace, ...more] as const;

test('imports once, however often it runs, and leaves approvals alone', async () => {
  const { workspace, token, manager } = await newTenant();
  const requests = Array.from({ length: 350 }, () => valid());
  const path = jsonl(...requests);
  const counts = (created: number, present: number) => ({ lines: 350, created, present, bad: 0 });

  expect(await adminJson(...importing(path, workspace, '--dry-run'))).toMatchObject({
    ...counts(350, 0),
    dry_run: true,
  });
  expect(await adminJson(...importing(path, workspace))).toMatchObject(counts(350, 0));
  const [first, , third] = requests.map(({ id }) => id);
  const { body } = await call('POST', `/v1/payment-requests/${first}/approve`, {
    token,
    body: { approver: manager, reason: 'Matches the timesheet' },
  });

  expect(await adminJson(...importing(path, workspace))).toMatchObject(counts(0, 350));
  expect(await adminJson(...importing(path, workspace, '--dry-run'))).toMatchObject(counts(0, 350));

  expect(await adminJson('payment-request', 'show', String(first))).toEqual({
    workspace,
    ...body,
    approvals: [
      {
        id: body.approvals[0],
        payment_request: first,
        approver: manager,
        reason: 'Matches the timesheet',
        created: expect.any(String),
      },
    ],
  });
  const { stdout } = await admin('payment-request', 'show', String(first));
  expect(stdout).toContain(manager);
  expect(stdout).toContain('Matches the timesheet');
  expect(await adminJson('payment-request', 'show', String(third))).toMatchObject({
    ...requests[2],
    status: 'pending',
    note: '',
    documents: [],
    approvals: [],
    payment: null,
  });
});

test('reports every bad line with its number and all that is wrong, and imports the others', async () => {
  const { workspace } = await newTenant();
  const elsewhere = await newPaymentRequest((await newTenant()).workspace);
  const good = valid();
  const lines = [
    JSON.stringify(good),
    JSON.stringify({ ...valid(), amount: '1', currency: 'usd', ammount: '1.00' }),
    '{"id":',
    '',
    JSON.stringify({ ...good, amount: '2.00' }),
    JSON.stringify(valid({ id: elsewhere.id })),
    JSON.stringify(valid({ approvals: ['apprdec_01K8QW00000000000000000000'] })),
    JSON.stringify(valid({ documents: ['x'.repeat(500_000)] })),
    'null',
    JSON.stringify(valid()),
  ];
  const path = file('bad.jsonl', `\ufeff${lines.join('\r\n')}`);

  const { code, stdout } = await admin(...importing(path, workspace, '--json'));

  const report = JSON.parse(stdout);
  expect([code, report.lines, report.created, report.bad]).toEqual([1, 9, 2, 7]);
  type Bad = { line: number; errors: { pointer: string; code: string }[] };
  const found = Object.fromEntries(
    report.bad_lines.map(({ line, errors }: Bad) => [
      line,
      errors.map(({ pointer, code }) => `${pointer} ${code}`),
    ]),
  );
  expect(found).toEqual({
    2: ['/amount invalid_format', '/currency invalid_format', '/ammount unknown'],
    3: [' unreadable'],
    5: ['/amount exists_otherwise'],
    6: ['/id exists_elsewhere'],
    7: ['/approvals too_big'],
    8: [' refused'],
    9: [' invalid_type'],
  });
  const people = await admin(...importing(path, workspace));
  expect(people.stdout).toBe('9 lines: 0 imported, 2 there already, 7 bad.\n');
  expect(people.stderr).toContain('line 2: /ammount Is not known here.\n');
});

test('reads CSV: quotes, empty cells, nested columns and JSON in cells', async () => {
  const { workspace } = await newTenant();
  const [one, two] = [`ptr_${newOpaque()}`, `ptr_${newOpaque()}`];
  const path = file(
    'requests.csv',
    [
      'id,worker,amount,currency,reference,note,period.starts,period.ends,documents,status',
      `${one},wr_1,10.00,USD,"INV, ""1""",Ümlaut,2026-10-01,2026-10-31,"[{""id"":""doc_1""}]",paid`,
      `${two},wr_1,10.00,USD,INV-2,,2026-10-01,2026-10-31,,`,
      'ptr_x,wr_1,ten,USD,INV-3,,2026-10-01,2026-10-31,not json,',
      'ptr_y,wr_1',
    ].join('\n'),
  );

  const { stdout, stderr, code } = await admin(...importing(path, workspace));

  expect([code, stdout]).toEqual([1, '4 lines: 2 imported, 0 there already, 2 bad.\n']);
  expect(stderr).toMatch(/^line 4: \/amount /m);
  expect(stderr).toMatch(/^line 4: \/documents Must be an array\.$/m);
  expect(stderr).toMatch(/^line 5: /m);
  expect(await adminJson('payment-request', 'show', one)).toMatchObject({
    reference: 'INV, "1"',
    note: 'Ümlaut',
    period: { starts: '2026-10-01', ends: '2026-10-31' },
    documents: [{ id: 'doc_1' }],
    status: 'paid',
  });
  expect(await adminJson('payment-request', 'show', two)).toMatchObject({
    note: '',
    documents: [],
    status: 'pending',
  });
});

test('a file that is not text in UTF-8 is refused', async () => {
  const { workspace } = await newTenant();
  const path = file('latin1.jsonl', Buffer.from([0x22, 0xfc, 0x22]));
  const { code, stderr } = await admin(...importing(path, workspace));
  expect([code, stderr]).toEqual([1, `error: ${path} is not text in UTF-8.\n`]);
});

test('two imports at once do not disturb each other', async () => {
  const { workspace } = await newTenant();
  const path = jsonl(...Array.from({ length: 300 }, () => valid()));
  const reports = await Promise.all([
    adminJson(...importing(path, workspace)),
    adminJson(...importing(path, workspace)),
  ]);
  const [one, other] = reports.map(({ created }) => created);
  expect(one + other).toBe(300);
  expect(reports.map(({ bad }) => bad)).toEqual([0, 0]);
});

test.each([
  [{ period: { starts: '2026-10-31', ends: '2026-10-01' } }, '/period/ends', 'ends_before_start'],
  [{ reference: '\u200b' }, '/reference', 'invisible'],
  [{ note: 'a\u202eb' }, '/note', 'invalid_characters'],
])('names the fault of %j, in both kinds of import', (fields, pointer, code) => {
  const { workspace, ...request } = { ...valid(), workspace: 'wsp_1', ...fields };
  const created = '2026-11-01T00:00:00.000Z';
  const record = { note: '', documents: [], payment: null, status: 'pending', created, ...request };
  expect(paymentRequestLine(workspace, created)(request)).toMatchObject([{ pointer, code }]);
  expect(recordReader({ type: 'PAYMENT_REQUEST', workspace, ...record })).toMatchObject([
    { pointer, code },
  ]);
});
