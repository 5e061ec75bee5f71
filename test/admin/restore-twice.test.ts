import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { redactionItems } from '../../bin/admin/table/redactions.ts';
import type { Item } from '../../bin/admin/table/scan.ts';
import {
  approvedRequest,
  by,
  itemsOf,
  put,
  restoreBeside,
  restoring,
  token,
  workspace,
} from './restored-items.ts';
import { adminAt, file, fullDevice, newTable, proxiedStackFile } from './run-admin.ts';

let inService: string;
let restored: string;
beforeEach(async () => {
  inService = await newTable();
  restored = await newTable();
});

const restore = (...args: string[]) => restoreBeside(inService, ...args);

/** A record of a request that has not ended, as Powertools writes it. */
const inProgress = ({ pk, sk }: Item): Item => ({
  ...{ pk, sk, author: undefined, status: 'INPROGRESS', validation: 'v' },
  ...{ expires: 4_000_000_000, in_progress_expiration: 1 },
});

test('a claim comes back over the record of a request in progress', async () => {
  const [back, over] = [approvedRequest(), approvedRequest()];
  await put(restored, token, ...Object.values(back), over.request, over.approval);
  await put(restored, inProgress(over.claim));
  await put(inService, token, inProgress(back.claim), ...Object.values(over));

  const repaired = await restore('--from', restored);
  expect(repaired.report.findings).not.toHaveProperty('effect_without_claim');
  expect((await itemsOf(inService)).get(back.claim.key)).toMatchObject(back.claim);

  const taken = await restore('--into', restored, '--from', inService);
  expect(taken.report.findings).not.toHaveProperty('effect_without_claim');
  expect((await itemsOf(restored)).get(over.claim.key)).toMatchObject(over.claim);
});

test('data that is redacted while a restore runs does not come back', async () => {
  const { request, approval, claim } = approvedRequest();
  const reason = 'Known to the worker alone';
  await put(restored, token, request, { ...approval, reason }, claim);
  await put(inService, token, request);
  const { proxy, at } = await proxiedStackFile(inService);
  const { held, release } = proxy.hold({ operation: 'TransactWriteItems', calls: [1] });

  const run = adminAt(at, ...restoring, '--from', restored);
  await held;
  await put(inService, ...redactionItems(workspace, [request.id], by()));
  release();
  const { code } = await run;

  expect(code).toBe(0);
  const items = [...(await itemsOf(inService)).values()].filter(
    ({ type }) => type !== 'PAYMENT_REQUEST',
  );
  expect(items.map(({ type }) => type)).toEqual(expect.arrayContaining(['APPROVAL', 'CLAIM']));
  expect(JSON.stringify(items)).not.toContain(reason);
  expect(JSON.stringify(items)).not.toContain(request.reference);
});

test('a report keeps what was lost when the same command runs again', async () => {
  const { request, claim } = approvedRequest();
  await put(inService, token, request, claim);
  const path = file('found.jsonl', '');

  await restore('--from', restored, '--report', path);
  const first = readFileSync(path, 'utf8');
  expect(first).toContain('"finding":"lost"');
  await restore('--from', restored, '--report', path);

  expect(readFileSync(path, 'utf8')).toBe(first);
});

test.each([
  [
    2,
    'A table name has 3 to 255 letters',
    ['--into', `arn:aws:dynamodb:us-east-1:000000000000:table/InService`],
  ],
  [1, '/ cannot be written', ['--report', '/']],
  [1, 'cannot be written', ['--report', fullDevice]],
])('exits with %s and says: %s', async (code, sentence, args) => {
  await put(inService, token);
  await put(restored, { ...token, scopes: 'other' });
  const run = await restore('--from', restored, ...args);
  expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(sentence)]);
  expect((await itemsOf(inService)).get(token.id)).not.toHaveProperty('revoked');
});

test('a saved answer that is none keeps nothing else from being restored', async () => {
  const { request, claim } = approvedRequest();
  await put(restored, token, request, { ...claim, operation: 'unknown', result: 'null' });
  await put(inService, token);

  const { code } = await restore('--from', restored);

  expect([code, (await itemsOf(inService)).has(request.id)]).toEqual([0, true]);
});

test('a record whose client has named it like the data of the smoke test comes back', async () => {
  const { request } = approvedRequest();
  const id = 'ptr_smoke_detectors';
  await put(restored, token, { ...request, id, pk: `PAYMENT_REQUEST#${id}` });
  await put(inService, token);

  await restore('--from', restored);

  expect((await itemsOf(inService)).has(id)).toBe(true);
});
