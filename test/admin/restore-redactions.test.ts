import { readFileSync } from 'node:fs';
import { expect, type TestContext, test } from 'vitest';
import { recordLine } from '../../bin/admin/kinds/all.ts';
import { redactionItems } from '../../bin/admin/table/redactions.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { formatLines } from '../support/json-lines.ts';
import { removeAll } from '../support/put-all.ts';
import { jsonl } from './lines.ts';
import {
  approvedRequest,
  by,
  itemsOf,
  offerWith,
  put,
  restoreBeside,
  restoring,
  token,
  workspace,
} from './restored-items.ts';
import {
  adminAt,
  type CommandRun,
  file,
  jsonAt,
  newTable,
  noTerminal,
  proxiedStackFile,
  stackFile,
  startAdmin,
  startAdminProcess,
  startOnTerminal,
} from './run-admin.ts';

const reason = 'Known to the worker alone';

/**
 * A payment request that an accident has left in service, and the approval and the saved answer
 * that it has deleted.
 *
 * @param fields of the payment request as it is in service
 */
const accident = async (fields: object = {}) => {
  const { request, approval, claim } = approvedRequest();
  const inService = await newTable();
  const restored = await newTable();
  await put(restored, token, request, { ...approval, reason }, claim);
  await put(inService, token, { ...request, ...fields });
  const data = new RegExp(`${reason}|${request.reference}`);
  return {
    inService,
    restored,
    request,
    claim,
    redact: (table = inService) => put(table, ...redactionItems(workspace, [request.id], by())),
    /** Which of the items of a table have personal data, and which have come back. */
    itemsIn: async (table = inService) => {
      const items = [...(await itemsOf(table)).values()];
      const typesOf = (some: typeof items) => some.map(({ type }) => type).sort();
      const left = items.filter((item) => data.test(JSON.stringify(item)));
      return { left: typesOf(left), all: typesOf(items) };
    },
    hasData: (text: string) => data.test(text),
  };
};

const backAndRedacted = {
  left: [],
  all: ['APPROVAL', 'CLAIM', 'PAYMENT_REQUEST', 'REDACTION', 'TOKEN'],
};

/** Of a payment request that was redacted before its accident. */
const withoutData = { reference: 'redacted', note: '', documents: [] };

/** Starts a restore; its first write waits until `work` is done. */
const overtaken = async <Command extends { readonly run: Promise<CommandRun> }>(
  { onTestFinished }: TestContext,
  start: (args: readonly string[], at: string) => Command,
  { inService, work, args }: Overtaking,
) => {
  const { proxy, at } = await proxiedStackFile(inService, onTestFinished);
  const { held, release } = proxy.hold({ operation: 'TransactWriteItems', calls: [1] });
  const command = start([...restoring, ...args], at);
  await held;
  await work();
  return { ...command, proxy, release };
};

interface Overtaking {
  readonly inService: string;
  readonly work: () => Promise<void>;
  readonly args: readonly string[];
}

test
  .skipIf(noTerminal)
  .concurrent(
    'what is redacted while a restore waits for its confirmation comes back without data, though it is killed',
    async ({ onTestFinished }) => {
      const { inService, restored, redact, itemsIn } = await accident(withoutData);
      const { proxy, at } = await proxiedStackFile(inService, onTestFinished);
      const restore = ['restore', '--from', restored, '--at', new Date().toISOString()];
      const { child, closed, asked, ...command } = startOnTerminal(restore, at, onTestFinished);
      await asked;
      await redact();
      const kill = async () => command.kill();
      // The approval is written, and the claim is not.
      const second = { operation: 'TransactWriteItems', calls: [2] };
      proxy.inject({ ...second, fault: { kind: 'killBefore', kill } });
      child.stdin.write('y\r');
      await closed;

      expect(proxy.clear().met).toEqual(['killBefore']);
      expect(await itemsIn()).toEqual({ left: [], all: expect.arrayContaining(['APPROVAL']) });
      const { code, report } = await restoreBeside(inService, '--from', restored);
      expect([code, report.created, report.redacted]).toEqual([0, 1, {}]);
      expect(await itemsIn()).toEqual(backAndRedacted);
    },
  );

test.concurrent('what is redacted while a restore writes does not come back', async (context) => {
  const { inService, restored, redact, itemsIn } = await accident();
  const args = ['--from', restored];
  const { run, release } = await overtaken(context, startAdmin, { inService, work: redact, args });
  release();

  const { code, stdout } = await run;

  const tally = { APPROVAL: 1, PAYMENT_REQUEST: 1 };
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { redacted: tally, found: {} }]);
  expect(await itemsIn()).toEqual(backAndRedacted);
});

test.concurrent.for([
  ['has written one item', 'TransactWriteItems', 1],
  ['has written all', 'Scan', 0],
] as const)(
  'a restore that is killed when it %s leaves data that the next one redacts',
  async ([, operation, created], context) => {
    const { inService, restored, redact, itemsIn, hasData } = await accident(withoutData);
    const { child, run, proxy, release } = await overtaken(context, startAdminProcess, {
      inService,
      work: redact,
      args: ['--from', restored],
    });
    const kill = async () => child.kill('SIGKILL');
    proxy.inject({ operation, calls: [1], fault: { kind: 'killBefore', kill } });
    release();
    expect((await run).code).toBe(null);
    const path = file('found.jsonl', '');
    const again = ['--from', restored, '--report', path] as const;

    const foreseen = await restoreBeside(inService, ...again, '--dry-run');
    const { code, report, stdout } = await restoreBeside(inService, ...again);

    expect([foreseen.code, foreseen.report.found]).toEqual([0, { APPROVAL: 1 }]);
    expect([code, report]).toMatchObject([0, { created, redacted: { APPROVAL: 1 }, found: {} }]);
    expect(await itemsIn()).toEqual(backAndRedacted);
    expect(hasData(readFileSync(path, 'utf8') + stdout + foreseen.stdout)).toBe(false);
  },
);

test.concurrent('what is redacted in the old table while a restored one is prepared stays redacted', async (context) => {
  const { inService: old, restored, redact, itemsIn, claim } = await accident();
  // The claim is carried over.
  await removeAll([claim], restored);
  await put(old, claim);
  const { run, release } = await overtaken(context, startAdmin, {
    inService: old,
    work: redact,
    args: ['--into', restored, '--from', old],
  });
  release();
  expect((await run).code).toBe(0);
  expect(await itemsIn(restored)).toEqual(backAndRedacted);
});

test.concurrent('a redaction that is imported names what only a restore brings back', async () => {
  const { inService, restored, itemsIn, request } = await accident();
  await removeAll([request], inService);
  // As lib/RESTORE.md has it.
  const line = {
    ...{ type: 'REDACTION', id: `rdc_${newOpaque()}`, workspace, ids: [request.id] },
    ...{ created: '2026-11-01T10:00:00.000Z', author: by() },
  };
  const at = stackFile({ table: inService });
  expect(await jsonAt(at, 'import', jsonl(line))).toMatchObject({ created: 1, findings: {} });

  const { code, report } = await restoreBeside(inService, '--from', restored);

  expect([code, report.redacted]).toEqual([0, {}]);
  expect(await itemsIn()).toEqual(backAndRedacted);
});

test.concurrent('a restore ends with 1 when it finds data that cannot be redacted yet', async () => {
  const { offer, attempts } = offerWith('sending');
  const [inService, restored] = [await newTable(), await newTable()];
  const voided = { ...offer, status: 'voided' };
  await put(restored, token, offer, ...attempts);
  await put(inService, token, voided, ...attempts);
  await put(inService, ...redactionItems(workspace, [String(offer.id)], by()));
  const stderr = expect.stringContaining('1 record cannot be redacted yet');

  const { code, report } = await restoreBeside(inService, '--from', restored);

  expect([code, report.found]).toEqual([1, { OFFER: 1 }]);
  const at = stackFile({ table: inService });
  expect(
    await adminAt(at, ...restoring.filter((arg) => arg !== '--json'), '--from', restored),
  ).toMatchObject({ code: 1, stderr });
});

test.concurrent('what is redacted while an import writes does not come back, though it is killed', async ({
  onTestFinished,
}) => {
  const { inService, restored, redact, itemsIn } = await accident(withoutData);
  const lines = [...(await itemsOf(restored)).values()].filter(({ type }) =>
    ['APPROVAL', 'CLAIM'].includes(String(type)),
  );
  const path = file('lines.jsonl', formatLines(lines.map(recordLine)));
  const { proxy, at } = await proxiedStackFile(inService, onTestFinished);
  const approval = { operation: 'TransactWriteItems', about: 'APPROVAL' };
  const { held, release } = proxy.hold({ ...approval, calls: [1] });
  const { child, run } = startAdminProcess(['import', path, '--json'], at);
  await held;
  await redact();
  const kill = async () => child.kill('SIGKILL');
  const claim = { operation: 'TransactWriteItems', about: 'CLAIM' };
  proxy.inject({ ...claim, calls: [1], fault: { kind: 'killAfter', kill } });
  release();
  expect((await run).code).toBe(null);
  // The claim was redacted when it was written.
  expect((await itemsIn()).left).toEqual(['APPROVAL']);

  const importArguments = ['import', path, '--json'] as const;
  const beside = stackFile({ table: inService });
  const foreseen = await adminAt(beside, ...importArguments, '--dry-run');
  const again = await adminAt(beside, ...importArguments);

  const plan = { present: 2, redacted: {}, found: { APPROVAL: 1 }, dry_run: true };
  expect([foreseen.code, JSON.parse(foreseen.stdout)]).toMatchObject([0, plan]);
  const report = { created: 0, present: 2, redacted: { APPROVAL: 1 }, found: {} };
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, report]);
  expect(await itemsIn()).toEqual(backAndRedacted);
});

test.concurrent('an import redacts what is redacted between its last write and its end', async ({
  onTestFinished,
}) => {
  const { inService, restored, redact, itemsIn } = await accident(withoutData);
  const lines = [...(await itemsOf(restored)).values()].filter(({ type }) => type === 'APPROVAL');
  const path = file('lines.jsonl', formatLines(lines.map(recordLine)));
  const { proxy, at } = await proxiedStackFile(inService, onTestFinished);
  const { held, release } = proxy.hold({ operation: 'TransactWriteItems', calls: [1] });
  const { run } = startAdmin(['import', path], at);
  await held;
  await redact();
  release();
  expect(await run).toMatchObject({
    code: 0,
    stdout: '1 line: 1 created, 0 there already, 0 bad. 1 record redacted.\n',
  });
  expect((await itemsIn()).left).toEqual([]);
});
