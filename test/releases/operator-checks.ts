import { expect } from 'vitest';
import { type Item, scan } from '../../bin/admin/table/scan.ts';
import { type CommandRun, file, newTable } from '../admin/run-admin.ts';
import { changesIn, type SourceChange } from '../support/changed-sources.ts';
import { parseLines } from '../support/json-lines.ts';
import type { Frozen } from './frozen.ts';
import { shifted } from './load-table.ts';

/** Runs the operators' command line on a table. */
export type AdminOn = (table: string, ...args: readonly string[]) => Promise<CommandRun>;

/** Verifies a command on the table of a release. @throws AssertionError */
export type OperatorCheck = (admin: AdminOn, frozen: Frozen) => Promise<void>;

/** What still waits was frozen long ago. Nothing else is wrong. */
const verify: OperatorCheck = async (admin, { items }) => {
  const waiting = items.filter(({ status }) => waits.includes(String(status)));
  const violations = await violationsIn(admin, await newTable(items));
  expect(violations).toHaveLength(waiting.length);
  expect(violations.filter((code) => !code.startsWith('stuck_'))).toEqual([]);
};

const waits = ['provisioning', 'queued', 'sending'];

const violationsIn = async (admin: AdminOn, table: string): Promise<string[]> => {
  const { stdout } = await admin(table, 'verify', '--json');
  expect(stdout).toMatch(/^{/);
  return JSON.parse(stdout).violations.map(({ code }: { code: string }) => code);
};

/** An export has every line and member that it had. */
const exports: OperatorCheck = async (admin, { items, workspace, exported }) => {
  const table = await newTable(items);
  const chosen = ['--workspace', workspace, '--tokens'];
  const { code, stdout, stderr } = await admin(table, 'export', ...chosen);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(sorted(parseLines(stdout))).toMatchObject(sorted(parseLines(exported)));
};

const sorted = (lines: readonly Item[]): Item[] =>
  lines.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));

/** A record in progress has nothing but its key. */
const nameOf = ({ type, id, account, key, pk }: Item) =>
  `${type} ${id ?? ''} ${account ?? ''} ${type ? key : pk}`;

/** An export of the release can be imported into an empty table. */
const imports: OperatorCheck = async (admin, { exported }) => {
  const table = await newTable();
  const { code, stderr } = await admin(table, 'import', file('export.jsonl', exported));
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  // What was being sent is sent again.
  const expected = parseLines(exported).map(({ hash: _, lease_ends: __, ...line }) => ({
    ...line,
    ...(line.status === 'sending' && { status: 'queued' }),
  }));
  expect(sorted(await itemsOf(table))).toMatchObject(sorted(expected));
};

const itemsOf = (TableName: string): Promise<Item[]> => Array.fromAsync(scan({ TableName }));

/** The trail of a payment request names the author of each approval. */
const trail: OperatorCheck = async (admin, { items }) => {
  const table = await newTable(items);
  const approvals = items.filter(({ type }) => type === 'APPROVAL');
  for (const id of new Set(approvals.map(({ payment_request }) => String(payment_request)))) {
    const { stdout } = await admin(table, 'trail', id, '--json');
    const told = JSON.parse(stdout).story.filter(({ what }: Item) => what === 'approved');
    const authors = approvals
      .filter(({ payment_request }) => payment_request === id)
      .map(({ author }) => author as { actor: string; request: string });
    expect(told.map(({ request }: Item) => request).sort()).toEqual(
      authors.map(({ request }) => request).sort(),
    );
  }
};

/** The personal data of a recipient can be redacted. */
const redact: OperatorCheck = async (admin, { items, workspace }) => {
  const table = await newTable(items);
  const recipient = 'resent@example.com';
  const chosen = ['--workspace', workspace, '--recipient', recipient, '--yes'];
  const { code } = await admin(table, 'redact', ...chosen);
  const left = (await itemsOf(table)).filter((item) => JSON.stringify(item).includes(recipient));
  expect([code, left]).toEqual([0, []]);
};

/** What is lost is put back from a restored table. */
const restore: OperatorCheck = async (admin, frozen) => {
  const items = shifted(frozen, Date.now());
  const restored = await newTable(items);
  const lost = ['PAYMENT_REQUEST', 'APPROVAL', 'CLAIM'];
  const table = await newTable(items.filter(({ type }) => !lost.includes(String(type))));
  const at = new Date().toISOString();
  const { stdout } = await admin(table, 'restore', '--from', restored, '--at', at, '--yes');
  expect(stdout).toMatch(/^Done: \d+ created/m);
  const before = items.map(({ imported: _, ...item }) => item);
  expect(sorted(await itemsOf(table))).toMatchObject(sorted(before));
};

/** A first delivery with the key of an earlier one sends nothing. */
const offerSend: OperatorCheck = async (admin, frozen) => {
  const items = shifted(frozen, Date.now());
  const table = await newTable(items);
  const { key, result } = items.find(({ operation }) => operation === 'send-offer') ?? {};
  const { id } = JSON.parse(String(result));
  const { code, stderr } = await admin(table, 'offer', 'send', id, '--key', String(key));
  expect([code, stderr]).toEqual([0, expect.stringContaining('This key was used before')]);
};

/** All of them, by their commands. */
export const operatorChecks = {
  verify,
  export: exports,
  import: imports,
  trail,
  redact,
  restore,
  'offer send': offerSend,
} as const satisfies Readonly<Record<string, OperatorCheck>>;

const change = changesIn('bin/admin/kinds');
const changeTable = changesIn('bin/admin/table');

/** Changes that break a command on the data of a release. */
export const operatorBreaks: readonly {
  readonly about: string;
  readonly check: keyof typeof operatorChecks;
  readonly changes: readonly SourceChange[];
}[] = [
  {
    about: 'a delivery attempt needs the id of its mail',
    check: 'verify',
    changes: change('delivery.ts', 'message_id: z.optional(z.string())', 'message_id: z.string()'),
  },
  {
    about: 'a line of an export loses a member',
    check: 'export',
    changes: change(
      'all.ts',
      'imported: ___, ...fields',
      'imported: ___, created: ____, ...fields',
    ),
  },
  {
    about: 'the line of a claim needs another member',
    check: 'import',
    changes: change(
      'claim.ts',
      'validation: z.string(),',
      'validation: z.string(), hashed: z.string(),',
    ),
  },
  {
    about: 'an author is read from another member',
    check: 'trail',
    changes: change('kind.ts', '(item.author ?? {})', '(item.by ?? {})'),
  },
  {
    about: 'an address is read from another member',
    check: 'redact',
    changes: change('offer.ts', 'String(recipient_email)', 'String(undefined)'),
  },
  {
    about: 'the operation of a claim has another name',
    check: 'offer send',
    changes: changeTable('offers.ts', "operation: 'send-offer'", "operation: 'offer-send'"),
  },
  {
    about: 'a claim names its effect in another way',
    check: 'restore',
    changes: change('claim.ts', 'newestApproval(answer)', 'answer.approval'),
  },
];
