import { describe, expect, test } from 'vitest';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { keys } from '../../../functions/store/keys.ts';
import { paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { readItem } from '../../../functions/store/read.ts';
import { workspaceItem } from '../../../functions/store/workspaces.ts';
import { errorResponse } from '../../../test/support/fault-proxy.ts';
import { send } from '../../../test/support/http.ts';
import { approve } from '../../../test/support/keyed-operations.ts';
import { putAll } from '../../../test/support/put-all.ts';
import {
  newPaymentRequest,
  newTenant,
  pendingPaymentRequest,
} from '../../../test/support/tenants.ts';
import { author } from '../../../test/support/test-author.ts';
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
  version: 1,
  status: 'pending',
  worker: 'wr_1',
  amount: '1250.00',
  currency: 'USD',
  reference: 'INV-1',
  period: { starts: '2026-10-01', ends: '2026-10-31' },
  ...fields,
});

const jsonl = (...lines: readonly object[]) =>
  file('lines.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));

const importing = (path: string, workspace: string, ...more: string[]) =>
  ['payment-request', 'import', path, '--workspace', workspace, ...more] as const;

const idsOf = (lines: readonly { readonly id: string }[]) => lines.map(({ id }) => id);

/** Which of these payment requests are in the table. */
const present = async (ids: readonly string[]) => {
  const found = await Promise.all(ids.map((id) => readItem(keys.paymentRequest(id))));
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
  const none = { lines: 150, created: 0, replaced: 0, same_version: 0, higher_version: 0 };
  expect(await run()).toEqual({ ...none, created: 150 });
  const { body } = await send(approve, { id: first, manager, reason: 'Fits' }, { token });
  expect(await run()).toEqual({ ...none, same_version: 150 });

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
    admin(...importing(jsonl({ ...line, ...fields, version }), workspace));
  await run(3, {});
  expect((await run(4, { amount: '9.00' })).stdout).toMatch(/^replaced +1$/m);
  expect((await run(4, { amount: '9.00' })).stdout).toMatch(/^same_version +1$/m);
  expect((await run(4, { amount: '8.00' })).stderr).toBe(
    `error: Nothing was imported.\nline 1: This version had other content: send it with a higher one. Found: "${line.id}"\n`,
  );
  expect((await run(3, { amount: '8.00' })).stdout).toMatch(/^higher_version +1$/m);
  expect(await readItem(keys.paymentRequest(line.id))).toMatchObject({
    amount: '9.00',
    version: 4,
  });
  const { stdout } = await admin('payment-request', 'show', line.id);
  expect(stdout).toMatch(/^version +4$.*^changed\.actor +operator:./ms);
  await admin(...importing(jsonl(approved), workspace));
  await send(approve, { id: approved.id, manager }, { token });
  expect((await run(2, { ...approved, amount: '9.00' })).stderr).toBe(
    `error: Nothing was imported.\nline 1: worker, amount or currency differ from what was approved: what is to be decided again has a new id. Found: "${approved.id}"\n`,
  );
  // A cancellation ends what was approved, whatever its sums.
  expect((await run(3, { ...approved, status: 'cancelled' })).stdout).toMatch(/^replaced +1$/m);
  expect(await readItem(keys.paymentRequest(approved.id))).toMatchObject({ status: 'cancelled' });
});

test('a line may be a whole message, of the same workspace and noun', async () => {
  const { workspace } = await newTenant();
  const { id, version, ...rest } = valid({ version: 7 });
  const message = { workspace, version, payment_request: { id, ...rest } };
  const offer = { id: 'ofr_1', status: 'draft', recipient_email: 'a@example.com' };
  const others = [
    { ...message, workspace: 'wsp_other' },
    { workspace, version, offer },
    { ...message, payment_request: { ...rest, id, amount: '1' }, extra: 1 },
  ];
  const { stderr } = await admin(...importing(jsonl(message, ...others), workspace));
  const sentence = `Must be a message of ${workspace} with the member payment_request. Found: {`;
  expect(stderr.trim().split('\n')).toEqual([
    'error: Nothing was imported.',
    expect.stringContaining(`line 2: ${sentence}`),
    expect.stringContaining(`line 3: ${sentence}`),
    expect.stringContaining('line 4: amount: '),
    'line 4: extra: Unknown field. Found: 1',
  ]);
  await admin(...importing(jsonl(message), workspace));
  expect(await readItem(keys.paymentRequest(id))).toMatchObject({ ...rest, version: 7, note: '' });

  const whole = { workspace, version, offer: { ...offer, id: `ofr_${newOpaque()}` }, send: false };
  const sent = { ...whole, offer: { ...whole.offer, status: 'sent' } };
  const command = ['offer', 'import', jsonl(sent), '--workspace', workspace, '--send'] as const;
  expect((await admin(...command)).stdout).toMatch(/^created +1$/m);
  expect(await readItem(keys.offer(whole.offer.id))).toMatchObject({ status: 'sent', attempts: 0 });
});

test('prints the faults beside the table when no line is wrong by itself', async () => {
  const { workspace } = await newTenant();
  const elsewhere = await newPaymentRequest((await newTenant()).workspace);
  const lines = [valid({ id: elsewhere.id }), valid({ amount: '1' })];
  const faultsOf = async (...given: object[]) =>
    (await admin(...importing(jsonl(...given), workspace))).stderr.match(/^line \d+: .{6}/gm);
  expect(await faultsOf(...lines)).toEqual(['line 2: amount']);
  expect(await faultsOf(...lines.slice(0, 1))).toEqual(['line 1: The id']);
});

test('with a fault in any line, writes nothing and prints every fault of every line', async () => {
  const { workspace } = await newTenant();
  const good = valid();
  const period = { ...good.period, ends_exclusive: true };
  const lines = [
    JSON.stringify(good),
    JSON.stringify({ ...valid(), amount: '1', currency: 'usd', ammount: '1.00' }),
    '{"id":',
    '',
    JSON.stringify(valid()).replace('{', '{"id":"ptr_1",'),
    JSON.stringify({ ...good, amount: '2.00' }),
    JSON.stringify(valid({ approvals: ['apprdec_01K8QW00000000000000000000'] })),
    JSON.stringify(valid({ documents: ['x'.repeat(256 * 1024)] })),
    JSON.stringify(valid({ period })),
    JSON.stringify(valid({ period: { starts: '2026-10-31', ends: '2026-10-01' } })),
    JSON.stringify(valid({ payment: { huge: '?' } })).replace('"?"', '9'.repeat(50)),
    JSON.stringify(valid({ documents: ['?'] })).replace(
      '"?"',
      `{"__proto__":${'['.repeat(80_000)}${']'.repeat(80_000)}}`,
    ),
    'null',
    JSON.stringify(valid({ version: null })),
    JSON.stringify(valid({ version: undefined, status: undefined })),
    JSON.stringify(valid({ currency: `\u001b[2J\u202e${'x'.repeat(50)}` })),
    JSON.stringify(valid({ amount: '👛'.repeat(50), ammount: '2.00' })),
    JSON.stringify(valid({ '\u202e\nline 9: \u{e0001}': 1, version: 1.5 })),
  ];
  const path = file('bad.jsonl', `\ufeff${lines.join('\r\n')}`);

  const { code, stdout, stderr } = await admin(...importing(path, workspace));

  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trim().split('\n')).toEqual([
    'error: Nothing was imported.',
    expect.stringMatching(/^line 2: amount: Must be digits without a leading .*\. Found: "1"$/),
    'line 2: currency: Must be three capital letters, such as USD. Found: "usd"',
    'line 2: ammount: Unknown field. Found: "1.00"',
    'line 3: Is not JSON. Found: "{\\"id\\":"',
    'line 5: id: The member occurs twice. Found: "id"',
    `line 6: id: Line 1 has it too. Found: "${good.id}"`,
    'line 7: approvals: Unknown field. Found: ["apprdec_01K8QW00000000000000000000"]',
    expect.stringMatching(/^line 8: Is larger than 262,144 bytes as JSON.* Found: \{.{39}…$/),
    'line 9: period.ends_exclusive: Unknown field. Found: true',
    'line 10: period.ends: Must not be before the day on which the period starts. Found: "2026-10-01"',
    expect.stringMatching(
      /^line 11: payment.huge: The number must have at most 15 significant digits.* Found: "9{39}…$/,
    ),
    'line 12: documents.0.__proto__: The member cannot be stored. Found: "__proto__"',
    expect.stringMatching(/^line 12: documents: .* Found: \[\{"__proto__":\[{26}…$/),
    'line 13: Must be an object. Found: null',
    'line 14: version: Must be a number. Found: null',
    'line 15: version: Is required.',
    'line 15: status: Must be one of draft, pending, rejected, paid, cancelled.',
    'line 16: currency: Must be three capital letters, such as USD. Found: "\\u001b[2J\\u202exxxxxxxxxxxxxxxxxxxxxxxx…',
    expect.stringMatching(/^line 17: amount: .* Found: "(👛){39}…$/u),
    'line 18: version: Must be a whole number. Found: 1.5',
    'line 18: \\u202e\\u000aline 9: \\udb40\\udc01: Unknown field. Found: 1',
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
        '\ufeffid,version,worker,amount,currency,reference,note,period.starts,period.ends,documents,payment,status,',
        `${one},7,wr_1,10.00,USD,"INV, ""1""",Ümlaut; rent,2026-10-01,2026-10-31,"[{""id"":""d""}]","{""version"":1E2}",paid,`,
        ',,,,,,,,,,,,',
        `${two},1,wr_1,10.00,USD,INV-2,,2026-10-01,2026-10-31,,,pending,`,
      ]
        .map((line, index) => line + ['\r\r\n', '\n', '\r\n'][index % 3])
        .join(''),
    );
    const { stdout, stderr } = await admin(...importing(path, workspace));
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^created +2$/m), '']);
    expect(await readItem(keys.paymentRequest(one))).toMatchObject({
      version: 7,
      reference: 'INV, "1"',
      note: 'Ümlaut; rent',
      documents: [{ id: 'd' }],
      payment: { version: 100 },
      status: 'paid',
      period: { starts: '2026-10-01', ends: '2026-10-31' },
    });
    const usual = { note: '', documents: [], payment: null, status: 'pending' };
    expect(await readItem(keys.paymentRequest(two))).toMatchObject(usual);
  });

  const header = 'id,recipient_email,status,version';
  const row = 'ofr_1,a@example.com,draft,1';
  test.each([
    [
      `${header}\n${row}\nofr_2,b,draft,1\n`,
      'line 3: recipient_email: Must be an email address. Found: "b"',
    ],
    [`${header}\r\r\n${row}\r\r\nofr_2,b,draft,1\r\r\n`, 'line 3: recipient_email: Must be'],
    [`${header}\n"a\nb",b@example.com,draft,1\n`, 'line 3: id: Must be ofr_'],
    [`${header}\nofr_1\n`, 'columns length is 4, got 1 on line 2.'],
    [`${header},id\n${row},ofr_2\n`, 'The column "id" occurs twice.'],
    [`${header},\n${row},x\n`, 'line 1: column 5: Unknown field. Found: "x"'],
    [`${header},__proto__\n${row},x\n`, 'line 1: column 5: Unknown field. Found: "x"'],
    [
      `recipient_email.old,${header}\nb@example.com,${row}\nc@example.com,ofr_2,b,draft,v4\n`,
      'line 1: recipient_email.old: Unknown field. Found: "b@example.com"\nline 3: version: Must be a whole number in digits. Found: "v4"\nline 3: recipient_email: ',
    ],
    [`${header.replaceAll(',', ';')}\n${row}\n`, 'columns length is 4, got 1 on line 2.'],
    [
      `${header.replaceAll(',', '|')}\n${row}\n`,
      'The first line must name the columns, separated by commas or semicolons. version, id, recipient_email, status are missing; it has "id|',
    ],
    [`${header.toUpperCase()}\n${row}\n`, 'it has "ID", "RECIPIENT_EMAIL"'],
    [
      'id,recipient_email,status\nofr_1,a@example.com,draft\n',
      'version is missing; it has "id", "recipient_email", "status". The version is the one that your own system has',
    ],
    [`${header}\nofr_1,a@example.com,,1\n`, 'line 2: status: Must be one of draft'],
    [`${header}\n${row}\nofr_2,a@example.com,draft,\n`, 'line 3: version: Is required.'],
    [`${header}\nofr_1,a@example.com,draft,\n`, 'No line has a version. The version is the one'],
    ...['v4', '1.73E+12', '1.0', '-1', '1.0000000000000000001', '9'.repeat(16)].map(
      (version): [string, string] => [
        `${header}\nofr_1,a@example.com,draft,${version}\n`,
        `line 2: version: Must be a whole number in digits. Found: "${version}"`,
      ],
    ),
    [`${header}\n"ofr_1,a@example.com\n`, 'Quote Not Closed'],
    ['', 'has no line to import.'],
    [`${header}\n`, 'has no line to import.'],
    [Buffer.from([0x69, 0x64, 0xff]), 'is not UTF-8. In Excel, save it as "CSV UTF-8".'],
  ])('%j is refused', async (content, sentence) => {
    const { workspace } = await newTenant();
    const path = file('offers.csv', content);
    const { code, stdout, stderr } = await admin('offer', 'import', path, '--workspace', workspace);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(sentence)]);
    expect(stderr).toMatch(/^error: /);
  });
});

test('the CSV of a German Excel has semicolons, and no file needs a name in small letters', async () => {
  const { workspace } = await newTenant();
  const { period, ...line } = valid({ note: 'Rent, October' });
  const row = { ...line, 'period.starts': period.starts, 'period.ends': period.ends };
  const csv = (fields: object) =>
    [Object.keys(fields), Object.values(fields)].map((cells) => cells.join(';')).join('\r\n');
  const run = (name: string, content: string) =>
    admin(...importing(file(name, content), workspace));
  expect((await run('OCTOBER.CSV', `\ufeff${csv(row)}`)).stdout).toMatch(/^created +1$/m);
  expect(await readItem(keys.paymentRequest(line.id))).toMatchObject({ ...line, period });
  expect((await run('a.JSONL', JSON.stringify(valid()))).stdout).toMatch(/^created +1$/m);
  const { stderr } = await run('october.csv', csv({ ...row, amount: '1250,00' }));
  expect(stderr).toMatch(/^line 2: amount: Must be digits .* Found: "1250,00"$/m);
});

test('what another writer has made otherwise meanwhile stays, and is reported', async () => {
  const { table, proxy, at } = await ownWorkspace();
  const [line, other] = [valid(), valid()];
  const { held, release } = proxy.hold({ operation: 'PutItem', calls: [1, 2] });
  const run = adminAt(at, ...importing(jsonl(line, other), 'wsp_1'));
  await held;
  const theirs = pendingPaymentRequest({ id: line.id, amount: '9.00', status: 'approved' });
  await putAll([{ ...paymentRequestItem('wsp_1', theirs), author }], table);
  release();
  expect(await run).toMatchObject({
    code: 1,
    stderr: [
      'error: 1 were created, 0 replaced, but these were not:',
      `line 1: worker, amount or currency differ from what was approved: what is to be decided again has a new id. Found: "${line.id}"\n`,
    ].join('\n'),
  });
});

test('an item whose response was lost counts as created, or as replaced', async () => {
  const { proxy, at } = await ownWorkspace();
  const lines = [valid(), valid()];
  const fault = { kind: 'loseResponse' } as const;
  proxy.inject({ operation: 'PutItem', calls: [1], fault });
  proxy.inject({ operation: 'UpdateItem', calls: [1], fault });
  const report = await jsonAt(at, ...importing(jsonl(...lines), 'wsp_1'));
  expect(report).toMatchObject({ lines: 2, created: 2, same_version: 0 });
  const newer = lines.map((line) => ({ ...line, version: 2 }));
  const again = await jsonAt(at, ...importing(jsonl(...newer), 'wsp_1'));
  expect(again).toMatchObject({ lines: 2, created: 0, replaced: 2, same_version: 0 });
  expect(proxy.clear().met).toEqual(['loseResponse', 'loseResponse']);
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
  expect(report.created + report.same_version).toBe(100);
  expect(report.same_version).toBeGreaterThan(0);
});
