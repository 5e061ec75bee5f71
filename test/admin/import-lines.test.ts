import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import {
  maximumAnswerBytes,
  maximumRecordBytes,
  sizeOfItem,
} from '../../bin/admin/table/item-limits.ts';
import { readPartition } from '../../bin/admin/table/scan.ts';
import { openLines } from '../../bin/admin/transfer/read-lines.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { dynamodb } from '../../functions/store/client.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http.ts';
import { approve } from '../support/keyed-operations.ts';
import { newTenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { importing, jsonl, valid } from './lines.ts';
import {
  admin,
  adminAt,
  adminJson,
  adminScript,
  file,
  jsonAt,
  newTable,
  sharedStackFile,
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
    `${2 * good} lines: ${created} imported, ${present} there already, ${good} bad.\n`;

  const foreseen = await admin(...importing(path, workspace, '--dry-run'));
  const done = await admin(...importing(path, workspace));

  expect([done.code, done.stdout]).toEqual([1, counts(good, 0)]);
  expect([foreseen.code, foreseen.stderr]).toEqual([done.code, done.stderr]);
  expect(done.stderr.trim().split('\n')).toEqual(
    unkeepable.map(([, sentence], index) =>
      expect.stringContaining(`line ${2 * index + 1}: ${sentence}`),
    ),
  );
  const again = await admin(...importing(path, workspace));
  expect(again.stdout).toBe(counts(0, good));
});

/** What a record may have, and documents beside which a text pads it to that. */
const limits = [
  ['as JSON', maximumAnswerBytes, []],
  // An empty list has four bytes in the table, and three as JSON.
  ['in the table', maximumRecordBytes, Array.from({ length: 10_000 }, () => [])],
] as const;

test.each(limits)(
  'a record as large as it may be %s is approved, exported and imported again',
  async (where, maximum, others) => {
    const { workspace, token, manager } = await newTenant();
    const created = '2026-11-01T00:00:00.000Z';
    const record = (length: number) => ({
      ...{ ...valid(), status: 'pending', note: '', documents: ['x'.repeat(length), ...others] },
      ...{ payment: null, created },
    });
    const small = record(0);
    await adminJson(...importing(jsonl(small), workspace));
    const size =
      where === 'as JSON'
        ? Buffer.byteLength(JSON.stringify(small))
        : sizeOfItem((await read(keys.paymentRequest(small.id))) ?? {});
    const [largest, larger] = [record(maximum - size), record(maximum - size + 1)];
    const lines = jsonl(largest, larger);
    const foreseen = await admin(...importing(lines, workspace, '--dry-run'));
    const { code, stdout, stderr } = await admin(...importing(lines, workspace));

    expect([code, stdout]).toEqual([1, '2 lines: 1 imported, 0 there already, 1 bad.\n']);
    const limit = `It is larger than ${maximum.toLocaleString('en')} bytes`;
    expect(stderr).toContain(`line 2: Cannot be stored: ${limit}`);
    expect(foreseen.stderr).toBe(stderr);
    const target = { id: largest.id, manager, reason: 'Matches the timesheet' };
    for (const key of ['k', 'k', undefined]) {
      expect(await send(approve, target, { token, key })).toMatchObject({ status: 200 });
    }
    const exported = await admin('export', '--workspace', workspace);
    const copy = stackFile({ table: await newTable() });
    const again = await jsonAt(copy, 'import', file('export.jsonl', exported.stdout));
    expect(again).toMatchObject({ bad: 0, created: again.lines });
  },
);

test('an act whose key is too long is a bad line, in a dry run too', async () => {
  const created = '2026-11-01T00:00:00.000Z';
  const act = (fields: object) => ({
    ...{ type: 'ACT', id: `act_${newOpaque()}`, what: 'manager removed', created, author },
    ...fields,
  });
  const path = jsonl(
    act({ partition: 'p'.repeat(2049) }),
    act({ account: `acc_${newOpaque()}`, manager: 'm'.repeat(1100) }),
    act({ partition: 'p'.repeat(2048), account: 'a'.repeat(2049), manager: 'm' }),
  );
  const at = stackFile({ table: await newTable() });
  for (const more of [['--dry-run'], []]) {
    const { code, stdout, stderr } = await adminAt(at, 'import', path, ...more);
    const done = more.length > 0 ? 'would be imported' : 'imported';
    expect([code, stderr, stdout]).toEqual([
      ...[1, 'line 1: Cannot be stored: Its partition key is longer than 2,048 bytes.\n'],
      `3 lines: 2 ${done}, 0 there already, 1 bad.\n`,
    ]);
  }
});

test('every spelling of a number that can be kept is accepted', async () => {
  const { workspace } = await newTenant();
  const id = `ptr_${newOpaque()}`;
  const line = withPayment('[]')
    .replace(/"ptr_\w+"/, `"${id}"`)
    .replace('[]', '{"n":[1.50,1E+2,100e-2,0.0,-7,9007199254740991,1e-130]}');
  expect(await adminJson(...importing(file('numbers.jsonl', line), workspace))).toMatchObject({
    created: 1,
  });
  expect(await read(keys.paymentRequest(id))).toMatchObject({
    payment: { n: [1.5, 100, 1, 0, -7, 9007199254740991, 1e-130] },
  });
});

describe('what is no regular file', () => {
  /** Runs the command in bash, with its arguments as $0, $1 and so on. */
  const inBash = (script: string, ...args: string[]) => {
    const child = spawn('bash', ['-c', script, process.execPath, adminScript, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...childEnvironment(), WFP_STACK_FILE: sharedStackFile },
    });
    const closed = once(child, 'close');
    const run = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
      ([[code], stdout, stderr]) => [code, stdout, stderr],
    );
    return { child, run };
  };
  const command = '"$0" "$1" payment-request import --format jsonl --workspace "$2"';
  const lines = (count: number) => jsonl(...Array.from({ length: count }, () => valid()));
  const imported = [0, '250 lines: 250 imported, 0 there already, 0 bad.\n', ''];

  test.each([
    ['of a pipe', `${command} <(cat "$3")`],
    ['of standard input by its name', `cat "$3" | ${command} /dev/stdin`],
    ['of a file that is standard input', `${command} /dev/stdin < "$3"`],
    ['of a named pipe', `mkfifo "$3.pipe"; cat "$3" > "$3.pipe" & ${command} "$3.pipe"`],
  ])('is read: the lines %s', async (_, script) => {
    const { workspace } = await newTenant();
    expect(await inBash(script, workspace, lines(250)).run).toEqual(imported);
  });

  test('is read: the lines of a socket', async () => {
    const { workspace } = await newTenant();
    const { child, run } = startAdmin(importing('/dev/stdin', workspace, '--format', 'jsonl'));
    child.stdin.end(readFileSync(lines(250)));
    expect(Object.values(await run)).toEqual(imported);
  });

  test('may be empty, and a directory is refused', async () => {
    const { workspace } = await newTenant();
    for (const [path, sentence] of [
      ['/dev/null', '/dev/null has no line to import.'],
      ['/tmp', '/tmp is a directory: name a file.'],
    ] as const) {
      const run = await admin(...importing(path, workspace, '--format', 'jsonl'));
      expect([run.code, run.stderr]).toEqual([1, `error: ${sentence}\n`]);
    }
  });

  test('does not keep an interrupted import from ending', async () => {
    const { workspace } = await newTenant();
    const script = `exec ${command} <(exec 2>&-; cat "$3"; exec sleep 30)`;
    const { child, run } = inBash(script, workspace, lines(250));
    await eventually(async () => {
      const all = await adminJson('payment-request', 'list', '--workspace', workspace);
      return all.length >= 200;
    });
    const started = performance.now();
    child.kill('SIGINT');
    const [code, stdout] = await run;
    expect([code, stdout]).toEqual([130, expect.stringContaining('Interrupted: ')]);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

test('a line of any length is one error, and the next one is imported', async () => {
  const { workspace } = await newTenant();
  const { child, run } = startAdmin([...importing('-', workspace, '--format', 'jsonl'), '--json']);
  const megabyte = Buffer.alloc(2 ** 20, 'x');
  for (let count = 0; count < 60; count++) child.stdin.write(megabyte);
  child.stdin.end(`\n${JSON.stringify(valid())}\n`);
  const { stdout } = await run;
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ lines: 2, created: 1, bad: 1 },
    bad_lines: [{ line: 1, errors: [{ detail: 'Is longer than 2,457,600 bytes.' }] }],
  });
});

test('a line that contradicts an earlier one of the file names that', async () => {
  const { workspace } = await newTenant();
  const [there, fresh] = [valid(), valid()];
  await adminJson(...importing(jsonl(there), workspace));
  const path = jsonl(
    ...[fresh, { ...fresh, amount: '2.00' }, fresh, { ...there, amount: '3.00' }],
    ...[there, { ...there, amount: '4.00' }],
  );
  const stays = 'and another value, which stays.';
  for (const more of [['--dry-run'], []]) {
    const { stderr } = await admin(...importing(path, workspace, ...more));
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
  const { stderr } = await admin(...importing(path, workspace));
  expect(stderr.split('\n')).toEqual([
    'line 1:  [31mRED [2J: Unknown field.',
    'line 2: a line 99: fake: Unknown field.',
    `line 3: ${'x'.repeat(60)}…: Unknown field.`,
    'line 4: The member  [2J occurs twice.',
    '',
  ]);
  const { stdout } = await admin(...importing(path, workspace, '--json'));
  const [first] = JSON.parse(stdout).bad_lines;
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
  const [workspace, created] = ['wsp_1', '2026-11-01T00:00:00.000Z'];
  const owner = { id: workspace, account: 'acc_1', name: 'Company', created };
  const TableName = await newTable([{ ...workspaceItem(owner), author }]);
  const at = stackFile({ table: TableName });
  const requests = Array.from({ length: 600 }, () => valid());
  const lines = requests.map((request) => `${JSON.stringify(request)}\n`);
  const { child, run } = startAdmin(importing('-', workspace, '--format', 'jsonl'), at);
  child.stdin.write(lines.slice(0, 500).join(''));
  const { pk } = keys.paymentRequest(requests[99]?.id ?? '');
  await eventually(async () => (await readPartition(pk, TableName)).length > 0);
  await dynamodb.send(new DeleteTableCommand({ TableName }));
  child.stdin.end(lines.join(''));

  const { code, stdout, stderr } = await run;

  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^error: AWS refused the request: ResourceNotFoundException.* Until then: \d00 imported, 0 there already, 0 bad\. The same command continues\.\n$/,
  );
});

test('the header of CSV is not one of the lines that the progress counts', async () => {
  const columns = [{ name: 'id', required: true, json: false }];
  const content = ['id', 'ofr_1', 'ofr_2'].join('\n');
  for (const [name, total] of [
    ['offers.csv', 2],
    ['offers.jsonl', 3],
  ] as const) {
    const { signal } = new AbortController();
    const opened = await openLines({ file: file(name, content), columns, signal });
    expect([opened.total, (await Array.fromAsync(opened.lines)).length]).toEqual([total, total]);
  }
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
      '9 lines: 4 imported, 0 there already, 5 bad.',
    ]);
  });

  test('of two open cells each is reported where it begins', async () => {
    const open = () => `${id()},"a@b.c`;
    const lines = [open(), ...Array.from({ length: 3 }, good), open(), good()];
    expect(await faultsOf(...lines)).toEqual([
      `line 2: ${unclosed}`,
      `line 6: ${unclosed}`,
      '6 lines: 4 imported, 0 there already, 2 bad.',
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
    const { stdout, stderr } = await admin(...importing(path, workspace));
    expect([stdout, stderr]).toEqual([
      '2 lines: 1 imported, 0 there already, 1 bad.\n',
      'line 5: documents: The number 12345678901234567890 loses digits. Write it as text.\n',
    ]);
    expect(await read(keys.paymentRequest(cells.id))).toMatchObject({ documents: ['a', 'b, c'] });
  });
});
