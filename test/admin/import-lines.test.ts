import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { maximumRecordBytes } from '../../bin/admin/merge/workspace-lines.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { errorAnswer } from '../support/fault-proxy.ts';
import { send } from '../support/http.ts';
import { approve } from '../support/keyed-operations.ts';
import { newTenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { importArguments, jsonl, separateWorkspace, valid } from './lines.ts';
import {
  admin,
  adminAt,
  adminJson,
  adminScript,
  file,
  jsonAt,
  newTable,
  proxiedStackFile,
  stackFile,
  startAdmin,
} from './run-admin.ts';

/** A line of JSON with this as a member that may hold anything. */
const withPayment = (payment: string) =>
  JSON.stringify(valid()).replace(/}$/, `,"payment":${payment}}`);
const nested = (depth: number) => `${'{"in":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Lines that the table cannot keep as they are, and how the sentence about each begins. */
const unkeepable: [string | Buffer, string][] = [
  [withPayment(nested(100_000)), 'Cannot be stored: It is nested more than 32 levels deep.'],
  [
    withPayment(`null,"documents":${'['.repeat(1e5)}${']'.repeat(1e5)}`),
    'Cannot be stored: It is nested more than 32 levels deep.',
  ],
  [withPayment('{"constructor":"x"}'), 'The member name constructor is reserved.'],
  [withPayment('{"a":[{"toString":1}]}'), 'The member name toString is reserved.'],
  [withPayment('{"hasOwnProperty":{}}'), 'The member name hasOwnProperty is reserved.'],
  [withPayment('{"__proto__":{"a":1}}'), 'The member name __proto__ is reserved.'],
  [withPayment('null,"__proto__":{}'), 'The member name __proto__ is reserved.'],
  [withPayment('{"a":1,"\\u0061":1}'), 'The member a occurs twice.'],
  [withPayment('null,"amount":"1.00"'), 'The member amount occurs twice.'],
  [
    withPayment('{"a":12345678901234567890}'),
    'The number 12345678901234567890 loses digits. Write it as text.',
  ],
  [withPayment('{"a":0.1000000000000000055}'), 'The number 0.1000000000000000055 loses digits.'],
  [withPayment('{"a":-0}'), 'The number -0 loses digits.'],
  [
    withPayment(`{"${'n'.repeat(70_000)}":1}`),
    'Cannot be stored: The name of a member is longer than 65,535 bytes.',
  ],
  [withPayment('{"":1}'), 'Cannot be stored: The name of a member is empty.'],
  [withPayment('{"a":"\\ud800"}'), 'Cannot be stored: A text in it has a lone surrogate.'],
  [withPayment(`"${'x'.repeat(3_000_000)}"`), 'Is longer than 2,457,600 bytes.'],
  [Buffer.from([0x7b, 0xfc, 0x7d]), 'Is not text in UTF-8.'],
];

test('a line that cannot be kept as it is, is bad, and the others are imported', async () => {
  const { workspace } = await newTenant();
  const lines = unkeepable.flatMap(([bad]) => [bad, '\n', `${JSON.stringify(valid())}\n`]);
  const path = file('lines.jsonl', Buffer.concat(lines.map((line) => Buffer.from(line))));
  const good = unkeepable.length;
  const counts = (created: number, present: number) =>
    `${2 * good} lines: ${created} created, ${present} there already, ${good} bad.\n`;

  const foreseen = await admin(...importArguments(path, workspace, '--dry-run'));
  const done = await admin(...importArguments(path, workspace));

  expect([done.code, done.stdout]).toEqual([1, counts(good, 0)]);
  expect([foreseen.code, foreseen.stderr]).toEqual([done.code, done.stderr]);
  expect(done.stderr.trim().split('\n')).toEqual(
    unkeepable.map(([, sentence], index) =>
      expect.stringContaining(`line ${2 * index + 1}: ${sentence}`),
    ),
  );
  const again = await admin(...importArguments(path, workspace));
  expect(again.stdout).toBe(counts(0, good));
});

/** Documents that fill a record, as JSON and in the table. */
const fillings = [
  ['a text', (bytes: number) => ['x'.repeat(bytes)]],
  // A digit has two bytes as JSON, and three in the table. More of them only take longer.
  ['digits', (bytes: number) => [...Array(20_000).fill(1), 'x'.repeat(bytes - 40_000)]],
] as const;

test.each(fillings)(
  'a record that %s makes as large as it may be is approved, exported and imported again',
  async (_, fill) => {
    const { workspace, token, manager } = await newTenant();
    const record = (documents: unknown[]) => ({
      ...{ ...valid(), status: 'pending', note: '', documents, payment: null, approvals: [] },
      created: '2026-11-01T00:00:00.000Z',
    });
    const sizeOf = (each: object) => Buffer.byteLength(JSON.stringify(each));
    const exact = (bytes: number) => {
      const most = record(fill(bytes - 1000));
      const padding = bytes - sizeOf(most) - ',""'.length;
      return { ...most, documents: [...most.documents, 'x'.repeat(padding)] };
    };
    const [largest, larger] = [exact(maximumRecordBytes), exact(maximumRecordBytes + 1)];
    const lines = jsonl(largest, larger);
    const foreseen = await admin(...importArguments(lines, workspace, '--dry-run'));
    const { code, stdout, stderr } = await admin(...importArguments(lines, workspace));

    expect([code, stdout]).toEqual([1, '2 lines: 1 created, 0 there already, 1 bad.\n']);
    expect(stderr).toBe('line 2: Is larger than 262,144 bytes as JSON.\n');
    expect(foreseen.stderr).toBe(stderr);
    const target = { id: largest.id, manager, reason: 'Matches the timesheet' };
    for (const key of ['k', 'k', undefined]) {
      expect(await send(approve, target, { token, key })).toMatchObject({ status: 200 });
    }
    const exported = await admin('export', '--workspace', workspace);
    const copy = stackFile({ table: await newTable() });
    const again = await jsonAt(copy, 'import', file('export.jsonl', exported.stdout));
    expect(again).toMatchObject({ findings: {}, created: again.lines });
  },
);

test('an act whose key is too long is a bad line, in a dry run too', async () => {
  const created = '2026-11-01T00:00:00.000Z';
  const act = {
    id: `act_${newOpaque()}`,
    what: 'message redriven',
    queue: 'events',
    message_id: 'm',
    created,
    author,
  };
  const path = jsonl({ type: 'ACT', ...act, partition: `OFFER#${'p'.repeat(2049)}` });
  const at = stackFile({ table: await newTable() });
  for (const more of [['--dry-run'], []]) {
    const { code, stderr } = await adminAt(at, 'import', path, ...more);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^line 1: partition: .+\n$/)]);
  }
});

test('every spelling of a number that can be kept is accepted', async () => {
  const { workspace } = await newTenant();
  const id = `ptr_${newOpaque()}`;
  const line = withPayment('[]')
    .replace(/"ptr_\w+"/, `"${id}"`)
    .replace('[]', '{"n":[1.50,1E+2,100e-2,0.0,-7,9007199254740991,1e-130]}');
  expect(await adminJson(...importArguments(file('numbers.jsonl', line), workspace))).toMatchObject(
    {
      created: 1,
    },
  );
  expect(await read(keys.paymentRequest(id))).toMatchObject({
    payment: { n: [1.5, 100, 1, 0, -7, 9007199254740991, 1e-130] },
  });
});

describe('what is no regular file', () => {
  const lines = (count: number) => jsonl(...Array.from({ length: count }, () => valid()));

  test.each([
    ['a pipe', '<(cat "$3")'],
    ['standard input by its name', '/dev/stdin < "$3"'],
  ])('is read: %s', async (_, path) => {
    const { workspace, at } = await separateWorkspace();
    const command = `"$0" "$1" payment-request import --format jsonl --workspace "$2" ${path}`;
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-c', command, process.execPath, adminScript, workspace, lines(250)],
      { env: { ...childEnvironment(), WFP_STACK_FILE: at } },
    );
    expect(stdout).toBe('250 lines: 250 created, 0 there already, 0 bad.\n');
  });

  test('may be empty, and a directory is refused', async () => {
    const { workspace } = await newTenant();
    for (const [path, sentence] of [
      ['/dev/null', '/dev/null has no line to import.'],
      ['/tmp', '/tmp is a directory: name a file.'],
    ] as const) {
      const run = await admin(...importArguments(path, workspace, '--format', 'jsonl'));
      expect([run.code, run.stderr]).toEqual([1, `error: ${sentence}\n`]);
    }
  });
});

test('a line of any length is one error, and the next one is imported', async () => {
  const { workspace } = await newTenant();
  const { stdin, run } = startAdmin([
    ...importArguments('-', workspace, '--format', 'jsonl'),
    '--json',
  ]);
  const megabyte = Buffer.alloc(2 ** 20, 'x');
  for (let count = 0; count < 60; count++) stdin.write(megabyte);
  stdin.end(`\n${JSON.stringify(valid())}\n`);
  const { stdout } = await run;
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ lines: 2, created: 1, findings: { bad_line: 1 } },
    list: [{ line: 1, errors: [{ detail: 'Is longer than 2,457,600 bytes.' }] }],
  });
});

test('a line that contradicts an earlier one of the file names that', async () => {
  const { workspace } = await newTenant();
  const [there, fresh] = [valid(), valid()];
  await adminJson(...importArguments(jsonl(there), workspace));
  const path = jsonl(
    ...[fresh, { ...fresh, amount: '2.00' }, fresh, { ...there, amount: '3.00' }],
    ...[there, { ...there, amount: '4.00' }],
  );
  const stays = 'and another value, which stays.';
  for (const more of [['--dry-run'], []]) {
    const { stderr } = await admin(...importArguments(path, workspace, ...more));
    expect(stderr.trim().split('\n')).toEqual([
      `line 2: amount: Line 1 has the same id ${stays}`,
      'line 4: amount: Exists already with another value, which stays.',
      `line 6: amount: Line 5 has the same id ${stays}`,
    ]);
  }
});

test('names in a file move no cursor, make no line of the report, and are cut', async () => {
  const { workspace } = await newTenant();
  const names = ['\u001b[31mRED\u001b[2J', 'a\nline 99: fake', 'x'.repeat(5000)];
  const path = file(
    'lines.jsonl',
    [
      ...names.map((name) => JSON.stringify({ ...valid(), [name]: 1 })),
      '{"\\u001b[2J":1,"\\u001b[2J":2}',
    ].join('\n'),
  );
  const { stderr } = await admin(...importArguments(path, workspace));
  expect(stderr.split('\n')).toEqual([
    'line 1:  [31mRED [2J: Unknown field.',
    'line 2: a line 99: fake: Unknown field.',
    `line 3: ${'x'.repeat(60)}…: Unknown field.`,
    'line 4: The member  [2J occurs twice.',
    '',
  ]);
  const { stdout } = await admin(...importArguments(path, workspace, '--json'));
  const [first] = JSON.parse(stdout).list;
  expect(first.errors[0].pointer).toBe(`/${names[0]}`);

  const header = ['id,recipient_email', ...names.slice(1), 'a\u001b', 'a\u001b'];
  const csv = file('offers.csv', header.map((each, i) => (i ? `"${each}"` : each)).join(','));
  const offers = await admin('offer', 'import', csv, '--workspace', workspace);
  expect(offers.stderr.split('\n')).toEqual([
    'error: line 1: There is no column "a line 99: fake".',
    `line 1: There is no column "${'x'.repeat(60)}…".`,
    ...Array(2).fill('line 1: There is no column "a ".'),
    'line 1: The column a  occurs twice.',
    '',
  ]);
  const ids = file('ids', 'ptr_\u001b[31m');
  const redacting = await admin('redact', '--workspace', workspace, '--ids', ids);
  expect(redacting.stderr).toContain('ptr_ [31m');
});

test('an import that an error ends says how many lines are in', async () => {
  const { workspace, table } = await separateWorkspace();
  const { proxy, at } = await proxiedStackFile(table);
  const fault = errorAnswer('AccessDeniedException');
  proxy.inject({ operation: 'TransactWriteItems', calls: [6], fault });
  const path = jsonl(...Array.from({ length: 600 }, () => valid()));

  const { code, stdout, stderr } = await adminAt(at, ...importArguments(path, workspace));

  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^error: AWS refused the request: AccessDenied.* Until then: \d00 created, 0 there already, 0 bad\. The same command continues\.\n$/,
  );
});

describe('of CSV', () => {
  const header = 'id,recipient_email';
  const id = () => `ofr_${newOpaque()}`;
  const good = () => `${id()},amara@example.com`;
  const faultsOf = async (...lines: string[]) => {
    const { workspace } = await newTenant();
    const path = file('offers.csv', [header, ...lines].join('\r\n'));
    const { stdout, stderr } = await admin('offer', 'import', path, '--workspace', workspace);
    return [...stderr.trim().split('\n'), stdout.trim()];
  };
  const misplaced = 'A cell with a quotation mark must be quoted, and the mark doubled.';
  const unclosed = 'A quoted cell is not closed.';

  test('a fault of quoting spoils its own line only, and is reported in its place', async () => {
    const faults = await faultsOf(
      ...[`${id()},nobody`, `${id()},a"b@c.de`, good(), `"${id()}"x,a@b.de`, good()],
      ...[`${id()},none`, `${id()},"a@b.c`, `"${id()}","amara@example.com"`, good()],
    );
    expect(faults).toEqual([
      'line 2: recipient_email: Must be an email address.',
      `line 3: ${misplaced}`,
      `line 5: ${misplaced}`,
      'line 7: recipient_email: Must be an email address.',
      `line 8: ${unclosed}`,
      '9 lines: 4 created, 0 there already, 5 bad.',
    ]);
  });

  test('of two open cells each is reported where it begins', async () => {
    const open = () => `${id()},"a@b.c`;
    const lines = [open(), ...Array.from({ length: 3 }, good), open(), good()];
    expect(await faultsOf(...lines)).toEqual([
      `line 2: ${unclosed}`,
      `line 6: ${unclosed}`,
      '6 lines: 4 created, 0 there already, 2 bad.',
    ]);
  });

  test('blank rows, padding columns and a byte order mark of Excel are skipped', async () => {
    const { workspace } = await newTenant();
    const rows = [`${header},,`, `${good()},,`, ',,,', `"${id()}",a@b.de,,`, '', `${good()},x`];
    const path = file('excel.csv', `\ufeff${rows.join('\r\n')}\r\n`);
    const { stdout, stderr } = await admin('offer', 'import', path, '--workspace', workspace);
    expect([stdout, stderr]).toEqual([
      '3 lines: 2 created, 0 there already, 1 bad.\n',
      'line 6: Has 3 cells, and the header has 2 columns.\n',
    ]);
  });

  test('a cell may hold line feeds, and the record has the number of its first line', async () => {
    const { workspace } = await newTenant();
    const { period, ...rest } = valid({ documents: '"[""a"",\n\n""b, c""]"' });
    const cells = { ...rest, 'period.starts': period.starts, 'period.ends': period.ends };
    const bad = { ...cells, id: 'ptr_bad', documents: '"[1,\n12345678901234567890]"' };
    const path = file(
      'requests.csv',
      [Object.keys(cells), Object.values(cells), Object.values(bad)].join('\n'),
    );
    const { stdout, stderr } = await admin(...importArguments(path, workspace));
    expect([stdout, stderr]).toEqual([
      '2 lines: 1 created, 0 there already, 1 bad.\n',
      'line 5: documents: The number 12345678901234567890 loses digits. Write it as text.\n',
    ]);
    expect(await read(keys.paymentRequest(cells.id))).toMatchObject({ documents: ['a', 'b, c'] });
  });
});
