import { once } from 'node:events';
import { expect, test } from 'vitest';
import { recordReader } from '../../bin/admin/merge/record-reader.ts';
import { paymentRequestLine } from '../../bin/admin/merge/workspace-lines.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { send } from '../support/http.ts';
import { approve } from '../support/keyed-operations.ts';
import { newPaymentRequest, newTenant, pendingPaymentRequest } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { importArguments, jsonl, separateWorkspace, valid } from './lines.ts';
import {
  admin,
  adminAt,
  adminJson,
  file,
  jsonAt,
  proxiedStackFile,
  startAdmin,
  startAdminProcess,
} from './run-admin.ts';

test('imports once, however often it runs, and leaves approvals alone', async () => {
  const { workspace, token, manager } = await newTenant();
  const requests = Array.from({ length: 350 }, () => valid());
  const path = jsonl(...requests);
  const counts = (created: number, present: number) => ({
    lines: 350,
    created,
    present,
    findings: {},
  });

  expect(await adminJson(...importArguments(path, workspace, '--dry-run'))).toMatchObject({
    ...counts(350, 0),
    dry_run: true,
  });
  expect(await adminJson(...importArguments(path, workspace))).toMatchObject(counts(350, 0));
  const [first = '', , third] = requests.map(({ id }) => id);
  const target = { id: first, manager, reason: 'Matches the timesheet' };
  const { body } = await send(approve, target, { token });

  expect(await adminJson(...importArguments(path, workspace))).toMatchObject(counts(0, 350));
  expect(await adminJson(...importArguments(path, workspace, '--dry-run'))).toMatchObject(
    counts(0, 350),
  );

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

  const { code, stdout } = await admin(...importArguments(path, workspace, '--json'));

  const report = JSON.parse(stdout);
  expect([code, report.lines, report.created, report.findings.bad_line]).toEqual([1, 9, 2, 7]);
  type Bad = { line: number; errors: { pointer: string; code: string }[] };
  const found = Object.fromEntries(
    report.list.map(({ line, errors }: Bad) => [
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
    8: [' too_big'],
    9: [' invalid_type'],
  });
  const people = await admin(...importArguments(path, workspace));
  expect(people.stdout).toBe('9 lines: 0 created, 2 there already, 7 bad.\n');
  expect(people.stderr).toContain('line 2: ammount: Unknown field.\n');
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
      'x,wr_1,ten,$,INV-3,,October,2026-10-31,not json,open',
      'ptr_y,wr_1',
    ].join('\n'),
  );

  const { stdout, stderr, code } = await admin(...importArguments(path, workspace));

  expect([code, stdout]).toEqual([1, '4 lines: 2 created, 0 there already, 2 bad.\n']);
  expect(stderr).toBe(
    [
      'line 4: id: Must be ptr_ followed by 1 to 100 letters, digits, _ or -.',
      'line 4: amount: Must be digits, a point and two decimals, such as 1250.00.',
      'line 4: currency: Must be three capital letters, such as USD.',
      'line 4: status: Must be one of draft, pending, approved, rejected, paid, cancelled.',
      'line 4: period.starts: Must be a date, such as 2026-10-31.',
      'line 4: documents: Must be an array.',
      'line 5: Has 2 cells, and the header has 10 columns.',
      '',
    ].join('\n'),
  );
  expect(await read(keys.paymentRequest(one))).toMatchObject({
    reference: 'INV, "1"',
    note: 'Ümlaut',
    period: { starts: '2026-10-01', ends: '2026-10-31' },
    documents: [{ id: 'doc_1' }],
    status: 'paid',
  });
  expect(await read(keys.paymentRequest(two))).toMatchObject({
    note: '',
    documents: [],
    status: 'pending',
  });
});

test('two imports at once do not disturb each other', async () => {
  const { workspace } = await newTenant();
  const path = jsonl(...Array.from({ length: 300 }, () => valid()));
  const reports = await Promise.all([
    adminJson(...importArguments(path, workspace)),
    adminJson(...importArguments(path, workspace)),
  ]);
  const [one, other] = reports.map(({ created }) => created);
  expect(one + other).toBe(300);
  expect(reports.map(({ findings }) => findings)).toEqual([{}, {}]);
});

test.each([
  [{ period: { starts: '2026-10-31', ends: '2026-10-01' } }, '/period/ends', 'ends_before_start'],
  [{ period: { ...valid().period, ends_exclusive: true } }, '/period/ends_exclusive', 'unknown'],
  [{ reference: '\u200b' }, '/reference', 'invisible'],
  [{ note: 'a\u202eb' }, '/note', 'invalid_characters'],
])('names the fault of %j, in both kinds of import', (fields, pointer, code) => {
  const { workspace, ...request } = { ...valid(), workspace: 'wsp_1', ...fields };
  const created = '2026-11-01T00:00:00.000Z';
  const record = { note: '', documents: [], payment: null, status: 'pending', created, ...request };
  expect(paymentRequestLine(workspace, created, author).read(request)).toMatchObject([
    { pointer, code },
  ]);
  const { read } = recordReader({ ...author, at: created });
  expect(read({ type: 'PAYMENT_REQUEST', author, workspace, ...record })).toMatchObject([
    { pointer, code },
  ]);
});

test('a dry run says exactly what the run does, also of ids that a file names twice', async () => {
  const { workspace } = await newTenant();
  const [first, second, third] = [valid(), valid(), valid()];
  const others = Array.from({ length: 450 }, () => valid());
  const tooLarge = valid({ documents: ['x'.repeat(410_000)] });
  const path = jsonl(
    ...[first, { ...first, amount: '2.00' }, second, first, second],
    ...[third, ...others.slice(0, 90), { ...third, reference: 'Other' }],
    ...others,
    ...[tooLarge, { ...tooLarge, documents: [] }],
    ...[valid({ payment: { huge: 1e200 } }), valid({ payment: nested(40) })],
    ...[{ ...second, currency: 'EUR' }, first],
  );
  const counts = { lines: 553, created: 454, present: 93, findings: { bad_line: 6 } };

  const foreseen = await admin(...importArguments(path, workspace, '--dry-run', '--json'));
  const done = await admin(...importArguments(path, workspace, '--json'));

  expect(JSON.parse(foreseen.stdout)).toEqual({ ...JSON.parse(done.stdout), dry_run: true });
  expect(JSON.parse(done.stdout)).toMatchObject(counts);
  const lines = JSON.parse(done.stdout).list.map(({ line }: { line: number }) => line);
  expect(lines).toEqual([2, 97, 548, 550, 551, 552]);
  expect(await read(keys.paymentRequest(first.id))).toMatchObject({ amount: '1250.00' });
});

const nested = (depth: number): object => (depth === 0 ? {} : { in: nested(depth - 1) });

test.each([
  ['id;recipient_email\nofr_1;a@b.c', 'separated by semicolons. Separate them with commas.'],
  ['id\nofr_1', 'line 1: The required column recipient_email is missing.'],
  ['id,recipient_email,ID', 'line 1: There is no column "ID".'],
  ['id,recipient_email,id', 'line 1: The column id occurs twice.'],
  ['', 'has no line to import.'],
  ['\ufeff\n\r\n', 'has no line to import.'],
  ['id,recipient_email\n', 'has no line to import.'],
])('the CSV file %j is refused in one sentence', async (content, sentence) => {
  const { workspace } = await newTenant();
  const many = content.includes(';') ? content.repeat(1000) : content;
  const path = file('offers.csv', many);
  const { code, stdout, stderr } = await admin('offer', 'import', path, '--workspace', workspace);
  expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
  expect(stderr).toContain(sentence);
});

test('bad lines are printed in their order, a hundred at most', async () => {
  const { workspace, at } = await separateWorkspace();
  const there = valid();
  await adminAt(at, ...importArguments(jsonl(there), workspace));
  const lines = Array.from({ length: 600 }, (_, index) =>
    index % 3 === 0 ? { ...there, amount: '9.00' } : index % 3 === 1 ? 'nothing' : valid(),
  );
  const path = jsonl(...lines);

  const { stderr, stdout } = await adminAt(at, ...importArguments(path, workspace));

  const printed = stderr.trim().split('\n');
  const numbers = printed.slice(0, 100).map((line) => Number(/^line (\d+): /.exec(line)?.[1]));
  const bad = lines.flatMap((_, index) => (index % 3 === 2 ? [] : [index + 1]));
  expect(numbers).toEqual(bad.slice(0, 100));
  expect(printed.slice(100)).toEqual(['300 more findings not shown; --json has them all.']);
  expect(stdout).toBe('600 lines: 200 created, 0 there already, 400 bad.\n');
  const { list } = await jsonAt(at, ...importArguments(path, workspace));
  expect(list.map(({ line }: { line: number }) => line)).toEqual(bad);
});

test('- reads standard input, in the format that --format names', async () => {
  const { workspace } = await newTenant();
  const { stdin, run } = startAdmin(importArguments('-', workspace, '--format', 'csv'));
  const { period, ...rest } = valid();
  const cells = { ...rest, 'period.starts': period.starts, 'period.ends': period.ends };
  stdin.end(`${Object.keys(cells)}\n${Object.values(cells)}\n`);
  expect(await run).toMatchObject({
    code: 0,
    stdout: '1 line: 1 created, 0 there already, 0 bad.\n',
  });

  const { code, stderr } = await admin(...importArguments('-', workspace));
  expect([code, stderr]).toEqual([2, expect.stringContaining('--format')]);
  // An export has one format.
  expect(await admin('import', '-')).toMatchObject({
    code: 1,
    stderr: 'error: Standard input has no line to import.\n',
  });
});

test('an interrupted import says how many are in, and the same command goes on', async () => {
  const { workspace, table } = await separateWorkspace();
  const { proxy, at } = await proxiedStackFile(table);
  // Four writes are under way at once.
  const { held, release } = proxy.hold({ operation: 'TransactWriteItems', calls: [5, 6, 7, 8] });
  const requests = Array.from({ length: 1000 }, () => valid());
  const lines = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const { child, run } = startAdminProcess(
    importArguments('-', workspace, '--format', 'jsonl'),
    at,
  );
  child.stdin.end(lines);
  await held;
  child.kill('SIGINT');
  await once(child.stderr, 'data');
  release();

  const { code, stdout, stderr } = await run;
  const [, imported] =
    /^Interrupted: ([\d,]+) created, 0 there already, 0 bad\./.exec(stdout) ?? [];
  expect([code, stderr]).toEqual([130, expect.stringContaining('Ctrl-C again')]);
  expect(stdout).toContain('The same command continues.');
  const count = Number(imported?.replace(',', ''));
  expect(count).toBeGreaterThanOrEqual(100);
  expect(count).toBeLessThan(1000);
  const again = await jsonAt(at, ...importArguments(jsonl(...requests), workspace));
  expect(again).toMatchObject({ created: 1000 - count, present: count, findings: {} });
});

test('creates one payment request by the rules of a line', async () => {
  const { workspace } = await newTenant();
  const create = (...more: string[]) =>
    admin(
      ...['payment-request', 'create', '--workspace', workspace, '--worker', 'wr_1'],
      ...['--amount', '10.00', '--currency', 'USD', '--reference', 'INV-1'],
      ...['--starts', '2026-10-01', '--ends', '2026-10-31', ...more],
    );
  const { code, stdout } = await create('--note', '', '--documents', '[{"id":"doc_1"}]');
  const id = stdout.trim();
  expect(code).toBe(0);
  expect(await read(keys.paymentRequest(id))).toMatchObject({
    ...{ id, workspace, worker: 'wr_1', amount: '10.00', currency: 'USD', reference: 'INV-1' },
    ...{ status: 'pending', note: '', documents: [{ id: 'doc_1' }], payment: null },
    period: { starts: '2026-10-01', ends: '2026-10-31' },
  });
  expect(await create('--id', id)).toEqual({
    ...{ code: 0, stdout: `${id}\n`, stderr: `${id} was there already.\n` },
  });
  expect(await create('--id', id, '--amount', '11.00')).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'error: amount: Exists already with another value, which stays.\n',
  });
  expect(await create('--currency', 'usd', '--ends', '2026-09-30')).toEqual({
    ...{ code: 2, stdout: '' },
    stderr:
      'error: currency: Must be three capital letters, such as USD.\nperiod.ends: Must not be before the day on which the period starts.\n',
  });
  expect(await create('--documents', '[0.1000000000000000055]')).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('loses digits') },
  });
  // The table and the answer hold each number with all of its digits.
  expect(await create('--documents', `[${Array(25_000).fill('1e15')}]`)).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('larger than 262,144 bytes as JSON') },
  });
});

test.each([
  ['nested', { type: JSON.parse(`${'['.repeat(1e5)}${']'.repeat(1e5)}`) }, '/type'],
  [
    'of a claim whose answer has a long id',
    {
      ...{ type: 'CLAIM', workspace: 'wsp_1', operation: 'create-sandbox', key: 'k' },
      ...{ fingerprint: 'a'.repeat(64), status: 'COMPLETED', validation: '', expires: 1 },
      result: JSON.stringify({ workspace: 'wsp_1', id: 'x'.repeat(3000) }),
    },
    '/result',
  ],
])('a record that is %s has a fault', (_, record, pointer) => {
  const { read } = recordReader({ ...author, at: '2026-11-01T00:00:00.000Z' });
  expect(read(record)).toMatchObject([{ pointer }]);
});

const [account, created] = ['acc_1', '2026-11-01T00:00:00.000Z'];
const act = { ...author, at: created, tz: 'UTC' };

test.each([
  ['author', { type: 'ACCOUNT', id: account, name: 'Acme', author: { ...author, tz: 'UTC' } }],
  [
    'revoked',
    {
      ...{ type: 'TOKEN', hash: 'a'.repeat(64), id: `tok_${newOpaque()}`, workspace: 'wsp_1' },
      ...{ account, scopes: '', expires_at: created, revoked: act },
    },
  ],
  [
    'removed',
    { type: 'MANAGER', id: '11111111-1111-4111-8111-111111111111', account, removed: act },
  ],
])('an unknown member of %s of a record is a fault', (member, record) => {
  const { read } = recordReader({ ...author, at: created });
  const fault = { pointer: `/${member}/tz`, code: 'unknown', detail: 'Unknown field.' };
  expect(read({ author, created, ...record })).toEqual([fault]);
});

test('of records with one id the first is imported, also if a later one has another status', async () => {
  const { workspace } = await newTenant();
  const { id, ...request } = pendingPaymentRequest();
  const { approvals: _, ...record } = {
    type: 'PAYMENT_REQUEST',
    author,
    workspace,
    id,
    ...request,
  };
  const path = jsonl(record, { ...record, status: 'approved' });
  const { code, stdout } = await admin('import', path);
  expect([code, stdout]).toEqual([0, '2 lines: 1 created, 1 there already, 0 bad.\n']);
  expect(await read(keys.paymentRequest(id))).toMatchObject({ status: 'pending' });
});
