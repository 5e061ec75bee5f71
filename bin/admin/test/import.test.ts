import { describe, expect, test } from 'vitest';
import { newOpaque } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';
import { paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { read } from '../../../functions/store/read.ts';
import { workspaceItem } from '../../../functions/store/workspaces.ts';
import { errorResponse } from '../../../test/support/fault-proxy.ts';
import { send } from '../../../test/support/http.ts';
import { approve } from '../../../test/support/keyed-operations.ts';
import { putAll } from '../../testing/put-all.ts';
import { newPaymentRequest, newTenant, pendingPaymentRequest } from '../../testing/tenants.ts';
import { author } from '../../testing/test-author.ts';
import {
  admin,
  adminAt,
  adminJson,
  adminScript,
  file,
  jsonAt,
  newTable,
  proxiedStackFile,
  startProcess,
} from './run-admin.ts';

/** A line of a file of payment requests. */
const valid = (fields: object = {}) => ({
  id: `ptr_${newOpaque()}`,
  worker: 'wr_1',
  amount: '1250.00',
  currency: 'USD',
  reference: 'INV-1',
  period: { starts: '2026-10-01', ends: '2026-10-31' },
  ...fields,
});

/** What it must state besides, with a version. */
const whole = { status: 'pending', documents: [], payment: null };

const jsonl = (...lines: readonly object[]) =>
  file('lines.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));

const importing = (path: string, workspace: string, ...more: string[]) =>
  ['payment-request', 'import', path, '--workspace', workspace, ...more] as const;

const idsOf = (lines: readonly { readonly id: string }[]) => lines.map(({ id }) => id);

/** Which of these payment requests are in the table. */
const present = async (ids: readonly string[]) => {
  const found = await Promise.all(ids.map((id) => read(keys.paymentRequest(id))));
  return ids.filter((_, index) => found[index]);
};

/** A workspace in a table of its own, which is reached through a proxy. */
const ownWorkspace = async () => {
  const owner = {
    id: 'wsp_1',
    account: 'acc_1',
    name: 'Company',
    created: '2026-11-01T00:00:00.000Z',
  };
  const table = await newTable([{ ...workspaceItem(owner), author }]);
  return { table, ...(await proxiedStackFile(table)) };
};

test('imports once, however often it runs, and leaves approvals alone', async () => {
  const { workspace, token, manager } = await newTenant();
  const lines = Array.from({ length: 150 }, () => valid());
  const path = jsonl(...lines);
  const [first = ''] = idsOf(lines);

  const run = () => adminJson(...importing(path, workspace));
  expect(await run()).toEqual({ lines: 150, created: 150, replaced: 0, present: 0, older: 0 });
  const { body } = await send(approve, { id: first, manager, reason: 'Fits' }, { token });
  expect(await run()).toEqual({ lines: 150, created: 0, replaced: 0, present: 150, older: 0 });

  const operator = { actor: expect.stringMatching(/^operator:./) };
  const author = { actor: expect.stringMatching(/^tok_/) };
  const shown = await adminJson('payment-request', 'show', first);
  const { approvals, ...request } = body;
  expect(shown).toMatchObject({ workspace, ...request, author: operator });
  const approval = { id: approvals[0], approver: manager, reason: 'Fits', author };
  expect(shown.approvals).toMatchObject([approval]);
  const { stdout } = await admin('payment-request', 'show', first);
  expect(stdout).toMatch(new RegExp(`${manager} +Fits .* tok_`));
});

test('a higher version replaces, if it may; an equal or lower one changes nothing', async () => {
  const { workspace, token, manager } = await newTenant();
  const [line, approved] = [valid(), valid()];
  const run = (version: number, fields: object) =>
    admin(...importing(jsonl({ ...line, ...whole, ...fields, version }), workspace));
  await run(3, {});
  expect((await run(4, { amount: '9.00' })).stdout).toMatch(/^replaced +1$/m);
  expect((await run(4, { amount: '9.00' })).stdout).toMatch(/^present +1\nolder +0$/m);
  expect((await run(4, { amount: '8.00' })).stderr).toBe(
    'error: Nothing was imported.\nline 1: Another message had this version with other content.\n',
  );
  expect((await run(3, { amount: '8.00' })).stdout).toMatch(/^present +1\nolder +1$/m);
  expect(await read(keys.paymentRequest(line.id))).toMatchObject({ amount: '9.00', version: 4 });
  const { stdout } = await admin('payment-request', 'show', line.id);
  expect(stdout).toMatch(/^version +4$.*^changed\.actor +operator:./ms);
  await admin(...importing(jsonl(approved), workspace));
  await send(approve, { id: approved.id, manager }, { token });
  expect((await run(1, { ...approved, amount: '9.00' })).stderr).toBe(
    'error: Nothing was imported.\nline 1: worker, amount or currency differ from what was approved.\n',
  );
});

test('with a fault in any line, writes nothing and prints every fault of every line', async () => {
  const { workspace } = await newTenant();
  const elsewhere = await newPaymentRequest((await newTenant()).workspace);
  const there = await newPaymentRequest(workspace, { worker: 'wr_1', amount: '1.00' });
  const good = valid();
  const period = { ...good.period, ends_exclusive: true };
  const lines = [
    JSON.stringify(good),
    JSON.stringify({ ...valid(), amount: '1', currency: 'usd', ammount: '1.00' }),
    '{"id":',
    '',
    '{"id":"ptr_1","id":"ptr_2"}',
    JSON.stringify({ ...good, amount: '2.00' }),
    JSON.stringify(valid({ id: elsewhere.id })),
    JSON.stringify(valid({ id: there.id, amount: '1.10' })),
    JSON.stringify(valid({ approvals: ['apprdec_01K8QW00000000000000000000'] })),
    JSON.stringify(valid({ documents: ['x'.repeat(256 * 1024)] })),
    JSON.stringify(valid({ period })),
    JSON.stringify(valid({ period: { starts: '2026-10-31', ends: '2026-10-01' } })),
    JSON.stringify(valid({ payment: { huge: 2 ** 60 } })),
    JSON.stringify(valid({ documents: ['?'] })).replace(
      '"?"',
      `{"__proto__":${'['.repeat(80_000)}${']'.repeat(80_000)}}`,
    ),
    'null',
    JSON.stringify(valid({ version: null, ...whole })),
    JSON.stringify(valid({ version: 2 })),
  ];
  const path = file('bad.jsonl', `\ufeff${lines.join('\r\n')}`);

  const { code, stdout, stderr } = await admin(...importing(path, workspace));

  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trim().split('\n')).toEqual([
    'error: Nothing was imported.',
    expect.stringMatching(
      /^line 2: amount: Must be digits without a leading zero, a point and two/,
    ),
    'line 2: currency: Must be three capital letters, such as USD.',
    'line 2: ammount: Unknown field.',
    'line 3: Is not JSON.',
    'line 5: The member id occurs twice.',
    'line 6: id: Line 1 has it too.',
    'line 7: The id belongs to another workspace.',
    'line 8: amount: The table has "1.00", which is kept.',
    'line 9: approvals: Unknown field.',
    expect.stringMatching(/^line 10: Is larger than 262,144 bytes as JSON/),
    'line 11: period.ends_exclusive: Unknown field.',
    'line 12: period.ends: Must not be before the day on which the period starts.',
    expect.stringMatching(/^line 13: The number 1152921504606847000 has more than 15 digits/),
    'line 14: The member __proto__ cannot be stored.',
    'line 15: Must be an object.',
    'line 16: version: Must be a number.',
    'line 17: status: Must be one of draft, pending, rejected, paid, cancelled.',
    'line 17: documents: Is required.',
    'line 17: payment: Is required.',
  ]);
  expect(await present([good.id])).toEqual([]);
});

test('prints a hundred faults, and counts the others', async () => {
  const { workspace } = await newTenant();
  const lines = Array.from({ length: 150 }, () => valid({ amount: '1' }));
  const { stderr } = await admin(...importing(jsonl(...lines), workspace));
  const printed = stderr.trim().split('\n');
  expect(printed).toHaveLength(102);
  expect(printed.at(-2)).toMatch(/^line 100: amount: /);
  expect(printed.at(-1)).toBe('50 more faults are not shown.');
});

describe('CSV', () => {
  test('has quotes, line breaks, empty cells, nested columns and JSON in cells', async () => {
    const { workspace } = await newTenant();
    const [one, two] = [`ptr_${newOpaque()}`, `ptr_${newOpaque()}`];
    const path = file(
      'requests.csv',
      [
        '\ufeffid,worker,amount,currency,reference,note,period.starts,period.ends,documents,status,',
        `${one},wr_1,10.00,USD,"INV, ""1""",Ümlaut,2026-10-01,2026-10-31,"[{""id"":""d""}]",paid,`,
        ',,,,,,,,,,',
        `${two},wr_1,10.00,USD,INV-2,,2026-10-01,2026-10-31,,,`,
      ].join('\r\n'),
    );
    const { stdout, stderr } = await admin(...importing(path, workspace));
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^created +2$/m), '']);
    expect(await read(keys.paymentRequest(one))).toMatchObject({
      reference: 'INV, "1"',
      note: 'Ümlaut',
      documents: [{ id: 'd' }],
      status: 'paid',
      period: { starts: '2026-10-01', ends: '2026-10-31' },
    });
    const usual = { note: '', documents: [], status: 'pending' };
    expect(await read(keys.paymentRequest(two))).toMatchObject(usual);
  });

  test.each([
    ['id,recipient_email\nofr_1,a@example.com\nofr_2,b\n', 'line 3: recipient_email: '],
    ['id,recipient_email\n"a\nb",b@example.com\n', 'line 3: id: Must be ofr_'],
    ['id,recipient_email\nofr_1\n', 'columns length is 2, got 1 on line 2.'],
    ['id,recipient_email,id\nofr_1,a@example.com,ofr_2\n', 'The column id occurs twice.'],
    ['id,recipient_email,\nofr_1,a@example.com,x\n', 'line 2: column 3: Unknown field.'],
    [
      'recipient_email.old,id,recipient_email\nb@example.com,ofr_1,a@example.com\n',
      'line 2: recipient_email.old: Unknown field.',
    ],
    ['id,recipient_email,__proto__\nofr_1,a@example.com,x\n', 'line 2: column 3: Unknown field.'],
    [
      'id;recipient_email\nofr_1;"a"\n',
      'it needs id, recipient_email and has "id;recipient_email".',
    ],
    ['"id";"recipient_email"\n"ofr_1";"a"\n', 'it needs id, recipient_email and has "'],
    ['sep=;\nid;recipient_email\n', 'and has "sep=;".'],
    ['Offers of October\nid,recipient_email\n', 'and has "Offers of October".'],
    ['Id,Recipient_Email\nofr_1,a@example.com\n', 'and has "Id", "Recipient_Email".'],
    ['id,recipient_email,version\nofr_1,a@example.com,2\n', 'it needs id, recipient_email, status'],
    [
      'id,recipient_email,status,version\nofr_1,a@example.com,sent,1.0000000000000000001\n',
      'line 2: version: The number 1.0000000000000000001 has more than 15 digits',
    ],
    ['id,recipient_email\n"ofr_1,a@example.com\n', 'Quote Not Closed'],
    ['', 'has no line to import.'],
    ['id,recipient_email\n', 'has no line to import.'],
    [Buffer.from([0x69, 0x64, 0xff]), 'is not UTF-8.'],
  ])('%j is refused', async (content, sentence) => {
    const { workspace } = await newTenant();
    const path = file('offers.csv', content);
    const { code, stdout, stderr } = await admin('offer', 'import', path, '--workspace', workspace);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(sentence)]);
    expect(stderr).toMatch(/^error: /);
  });
});

test('what another writer has made otherwise meanwhile stays, and is reported', async () => {
  const { table, proxy, at } = await ownWorkspace();
  const [line, other] = [valid(), valid()];
  const { held, release } = proxy.hold({ operation: 'PutItem', calls: [1, 2] });
  const run = adminAt(at, ...importing(jsonl(line, other), 'wsp_1'));
  await held;
  const theirs = pendingPaymentRequest({ ...line, amount: '9.00' });
  await putAll([{ ...paymentRequestItem('wsp_1', theirs), author }], table);
  release();
  expect(await run).toMatchObject({
    code: 1,
    stderr: [
      'error: 1 were created, 0 replaced, but these were not:',
      'line 1: amount: The table has "9.00", which is kept.\n',
    ].join('\n'),
  });
});

test('an item whose response was lost counts as created', async () => {
  const { proxy, at } = await ownWorkspace();
  proxy.inject({ operation: 'PutItem', calls: [1], fault: { kind: 'loseResponse' } });
  const report = await jsonAt(at, ...importing(jsonl(valid(), valid()), 'wsp_1'));
  expect(report).toEqual({ lines: 2, created: 2, replaced: 0, present: 0, older: 0 });
  expect(proxy.clear().met).toEqual(['loseResponse']);
});

test('waits for a table that refuses, and the same command continues after Ctrl-C', async () => {
  const { proxy, at } = await ownWorkspace();
  const lines = Array.from({ length: 100 }, () => valid());
  // More often than the SDK repeats a call.
  const calls = Array.from({ length: 10 }, (_, index) => index + 1);
  proxy.inject({ operation: 'PutItem', calls, fault: errorResponse('ThrottlingException') });
  const { held, release } = proxy.hold({ operation: 'PutItem', calls: [60] });
  const { child, run } = startProcess(adminScript, importing(jsonl(...lines), 'wsp_1'), at);
  await held;
  child.kill('SIGINT');
  const { code, stderr } = await run;
  const progress = expect.stringMatching(/[1-9]\d* were created, .*continues/);
  expect([code, stderr]).toEqual([null, progress]);
  release();
  const report = await jsonAt(at, ...importing(jsonl(...lines), 'wsp_1'));
  expect(report.created + report.present).toBe(100);
  expect(report.present).toBeGreaterThan(0);
});
