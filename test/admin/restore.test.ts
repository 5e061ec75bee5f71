import { beforeEach, describe, expect, test } from 'vitest';
import { actItem } from '../../bin/admin/kinds/act.ts';
import { redactedAddress } from '../../bin/admin/kinds/offer.ts';
import { redactionItems } from '../../bin/admin/table/redactions.ts';
import type { Item } from '../../bin/admin/table/scan.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { sha256 } from '../../functions/runtime/sha256.ts';
import { keys } from '../../functions/store/keys.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { errorAnswer } from '../support/fault-proxy.ts';
import { waitingSandbox } from '../support/tenants.ts';
import { claimItem } from './claim-items.ts';
import {
  approvedRequest,
  by,
  itemsOf,
  kept,
  manager,
  now,
  offerWith,
  put,
  readySandbox,
  removal,
  removed,
  restoreBeside,
  restoring,
  token,
  tokenId,
  workspace,
} from './restored-items.ts';
import {
  adminAt,
  newTable,
  noTerminal,
  proxiedStackFile,
  stackFile,
  startAdminProcess,
  startOnTerminal,
  violationsAt,
} from './run-admin.ts';

let inService: string;
let restored: string;
beforeEach(async () => {
  inService = await newTable();
  restored = await newTable();
});

const restore = (...args: string[]) => restoreBeside(inService, ...args);

const repair = (...args: string[]) => restore('--from', restored, ...args);

const violations = (table: string) => violationsAt(stackFile({ table }));

describe('repaired in place', () => {
  test('what is missing comes back once, with what it needs, and nothing is overwritten', async () => {
    const approved = approvedRequest();
    const { offer, attempts, claims } = offerWith('sent', 'queued', 'sending');
    const [sandbox = {}, ...inside] = readySandbox();
    const provisioning: Item = sandboxItem(waitingSandbox(workspace, now));
    const rest = [...Object.values(approved), offer, ...attempts, ...claims, sandbox, ...inside];
    const expired: Item = { ...claimItem(workspace, 'create-sandbox', sandbox), expires: 1 };
    await put(restored, token, manager(kept), manager(removed), provisioning, expired, ...rest);
    // The accident left the offer and the newest attempt, which is none of the restored ones.
    const removedManager: Item = { ...manager(removed), removed: removal };
    await put(inService, token, { ...offer, status: 'accepted' }, removedManager);

    const foreseen = await repair('--dry-run');
    expect((await itemsOf(inService)).size).toBe(3);
    const { code, report } = await repair();

    expect(foreseen.report.findings).toEqual({ differs: 2 });
    const { planned, created, updated } = foreseen.report;
    expect([code, report]).toMatchObject([0, { planned, created, updated }]);
    const [difference] = report.list.filter(({ now }: { now?: Item }) => now?.id === offer.id);
    expect([difference.now.status, difference.restored.status]).toEqual(['accepted', 'sent']);
    const items = await itemsOf(inService);
    expect(items.get(offer.id)).toMatchObject({ status: 'accepted', attempts: 3 });
    expect([...attempts].map(({ id }) => items.get(id))).toMatchObject([
      { status: 'sent' },
      { status: 'failed', reason: 'restored' },
      { status: 'failed', reason: 'restored' },
    ]);
    expect(items.get(provisioning.id)).toMatchObject({ status: 'ready' });
    expect([items.has(kept), items.get(removed)?.removed, items.has(expired.key)]).toEqual([
      ...[true, removal, false],
    ]);
    expect(await violations(inService)).toEqual([]);
    const again = await repair();
    expect([again.code, again.report.planned, await itemsOf(inService)]).toEqual([0, {}, items]);
  });

  test('no redacted data comes back or is listed', async () => {
    const { request, approval, claim } = approvedRequest();
    const { offer, attempts } = offerWith('queued');
    const reason = 'Known to the worker alone';
    await put(restored, token, request, { ...approval, reason }, claim, offer, ...attempts);
    const [redaction = {}] = redactionItems(workspace, [request.id, offer.id], by());
    const accepted = { ...offer, status: 'accepted', recipient_email: redactedAddress };
    await put(inService, token, redaction, accepted);
    const data = new RegExp([reason, request.reference, offer.recipient_email].join('|'));

    const { code, stdout } = await repair();

    expect([code, stdout]).toEqual([0, expect.not.stringMatching(data)]);
    const items = await itemsOf(inService);
    expect(items.get(approval.id)).toBeDefined();
    expect(items.get(claim.key)).toBeDefined();
    expect(JSON.stringify([request.id, approval.id].map((id) => items.get(id)))).not.toMatch(data);
    expect(items.get(claim.key)?.result).not.toMatch(data);
  });

  test('broken off at any write, it goes on', async () => {
    const { offer, attempts, claims } = offerWith('sent', 'queued');
    const [sandbox = {}, ...inside] = readySandbox();
    await put(restored, token, offer, ...attempts, ...claims, sandbox, ...inside);
    await put(restored, ...Object.values(approvedRequest()), manager(kept));
    await put(inService, attempts[0] ?? {}, { ...offer, attempts: 3 }, claims[0] ?? {});
    const { proxy, at } = await proxiedStackFile(inService);
    const fault = errorAnswer('AccessDeniedException');

    // In what needs nothing, in what needs that, in the claims, and in the repairs.
    for (const [operation, call] of [
      ['TransactWriteItems', 1],
      ['TransactWriteItems', 2],
      ['TransactWriteItems', 2],
      ['UpdateItem', 1],
    ] as const) {
      proxy.inject({ operation, calls: [call], fault });
      const { code, stderr } = await adminAt(at, ...restoring, '--from', restored);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/AccessDenied.* continues\./)]);
      proxy.clear();
    }

    expect((await repair()).code).toBe(0);
    expect(await violations(inService)).toEqual([]);
    const ids = async (table: string) => [...(await itemsOf(table)).keys()].sort();
    expect(await ids(inService)).toEqual(await ids(restored));
    const trail = await adminAt(stackFile({ table: inService }), 'trail', String(offer.id));
    expect(trail.stdout).toMatch(/ restored +dlv_/);
  });

  test('Ctrl-C ends it after the writes in progress, and the same command continues', async () => {
    const { request, approval } = approvedRequest();
    await put(restored, token, request, approval);
    await put(inService, token);
    const { proxy, at } = await proxiedStackFile(inService);
    const { held, release } = proxy.hold({ operation: 'TransactWriteItems', calls: [1] });

    const { child, run } = startAdminProcess([...restoring, '--from', restored], at);
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    await held;
    child.kill('SIGINT');
    await expect.poll(() => errors).toContain('Waiting for the writes');
    release();

    const { code, stdout } = await run;
    expect([code, JSON.parse(stdout)]).toMatchObject([130, { created: 1, interrupted: true }]);
    expect((await itemsOf(inService)).has(approval.id)).toBe(false);
    expect((await repair()).report).toMatchObject({ created: 1, interrupted: false });
    expect((await itemsOf(inService)).has(approval.id)).toBe(true);
  });

  test('a claim that cannot be read is listed, and stays away', async () => {
    const { request, approval, claim } = approvedRequest();
    const odd: Item = { ...claim, result: '{"odd":true}' };
    await put(restored, token, request, approval, odd);
    await put(inService, token);

    const back = await repair();
    const over = await adminAt(
      stackFile({ table: restored }),
      ...[...restoring, '--into', inService, '--from', restored],
    );

    for (const { code, list } of [
      { code: back.code, ...back.report },
      { code: over.code, ...JSON.parse(over.stdout) },
    ]) {
      const kinds = list.map(({ finding, pk }: Item) => [finding, pk]);
      expect([code, kinds]).toEqual([1, expect.arrayContaining([['not_put_back', odd.pk]])]);
    }
    expect((await itemsOf(inService)).has(odd.key)).toBe(false);
  });

  test('torn transactions and deletions are repaired where one half says what the other was', async () => {
    const [torn, claimed] = [approvedRequest(), approvedRequest()];
    const { offer, attempts, claims } = offerWith('sent', 'sent');
    await put(inService, token, { ...torn.request, status: 'pending' }, torn.approval);
    await put(inService, claimed.request, claimed.claim);
    await put(inService, offer, attempts[0] ?? {}, ...claims);

    const { code, report } = await repair();

    expect([code, report.repaired]).toEqual([0, 4]);
    expect(await violations(inService)).toEqual([]);
    const items = await itemsOf(inService);
    expect(items.get(torn.request.id)).toMatchObject({ status: 'approved' });
    expect(items.get(offer.id)).toMatchObject({ attempts: 1 });
    expect(items.has(claims[0]?.key) && !items.has(claims[1]?.key)).toBe(true);
  });

  test('a repair whose reply is lost counts', async () => {
    const { request, approval, claim } = approvedRequest();
    const orphan = approvedRequest().claim;
    await put(inService, token, { ...request, status: 'pending' }, approval, claim, orphan);
    const { proxy, at } = await proxiedStackFile(inService);
    for (const operation of ['UpdateItem', 'DeleteItem']) {
      proxy.inject({ operation, calls: [1], fault: { kind: 'loseReply' } });
    }

    const { code, stdout } = await adminAt(at, ...restoring, '--from', restored);

    expect([code, JSON.parse(stdout).repaired]).toEqual([0, 2]);
    expect(proxy.clear().met).toEqual(['loseReply', 'loseReply']);
    expect(await violations(inService)).toEqual([]);
  });

  test('a token comes back revoked, and an effect whose claim is gone is listed', async () => {
    const { request, approval } = approvedRequest();
    const orphan = approvedRequest().approval;
    await put(restored, token, request, approval, orphan);

    const { code, report } = await repair();

    const kinds = report.list.map(({ finding, pk }: Item) => [finding, pk]);
    expect([code, kinds]).toEqual([
      1,
      [
        ['not_put_back', orphan.pk],
        ['effect_without_claim', approval.pk],
      ],
    ]);
    expect((await itemsOf(inService)).get(tokenId)).toMatchObject({
      revoked: { actor: expect.stringMatching('operator:') },
    });
  });
});

describe('a restored table that goes into service', () => {
  const takeOver = (...args: string[]) => restore('--into', restored, ...args);

  test('takes later ends, revocations, removals and acts, and lists what it has lost', async () => {
    const { offer, attempts, claims } = offerWith('queued', 'sent', 'sending');
    const [queued = {}, sent = {}, sending = {}] = attempts as Item[];
    const late = approvedRequest();
    const tornClaim = approvedRequest();
    const revoked = { ...newAuthor('operator:test', 'run_revoked'), at: now };
    const later = new Date(Date.now() + 1000).toISOString();
    const [sandbox = {}, ...inside] = readySandbox();
    const valid = { ...token, ...keys.token(sha256(newOpaque())), id: `tok_${newOpaque()}` };
    await put(restored, token, manager(kept), manager(removed), offer, queued, sent, sending);
    await put(restored, valid);
    await put(inService, valid);
    await put(restored, { ...late.request, status: 'pending' }, sandbox, inside[0] ?? {});
    await put(restored, ...claims, tornClaim.request, tornClaim.approval);
    const removedManager: Item = { ...manager(removed), removed: removal };
    const act = actItem(
      { what: 'message discarded', queue: 'delivery', message_id: 'm', workspace },
      by(),
    );
    await put(inService, { ...token, revoked }, manager(kept), removedManager, act);
    await put(inService, offer, sending);
    await put(inService, { ...queued, status: 'sent', message_id: 'm', updated: later });
    await put(inService, { ...sent, status: 'bounced', reason: 'permanent', updated: later });
    await put(inService, ...Object.values(late), ...Object.values(tornClaim));

    const { code, report } = await takeOver('--from', inService);

    expect(code).toBe(0);
    const lost = report.list.filter(({ finding }: Item) => finding === 'lost');
    expect(lost.map(({ detail }: Item) => detail)).toEqual([
      `The approval ${late.approval.id} of ${late.request.id} by ${kept} is lost: approve the payment request again. Its event stays published.`,
    ]);
    const items = await itemsOf(restored);
    expect(items.get(tokenId)).toMatchObject({ revoked });
    expect(items.get(valid.id)).not.toHaveProperty('revoked');
    expect(items.get(kept)).not.toHaveProperty('removed');
    expect([items.get(removed)?.removed, items.has(act.id)]).toEqual([removal, true]);
    expect(attempts.map(({ id }) => items.get(id))).toMatchObject([
      { status: 'sent', message_id: 'm' },
      { status: 'bounced', reason: 'permanent' },
      { status: 'failed', reason: 'restored' },
    ]);
    expect(inside.every(({ id }) => items.has(id))).toBe(true);
    expect([items.has(tornClaim.claim.key), items.has(late.claim.key)]).toEqual([true, false]);
    expect(await violations(restored)).toEqual([]);
    const again = await takeOver('--from', inService);
    expect([again.report.planned, await itemsOf(restored)]).toEqual([{}, items]);
  });

  test('has no valid token if the old one is gone', async () => {
    const waiting = sandboxItem(waitingSandbox(workspace, now));
    await put(restored, token, waiting);

    const { code, report } = await takeOver();

    const items = await itemsOf(restored);
    expect([code, report, items.get(waiting.id)]).toMatchObject([
      0,
      { created: 5, updated: 2 },
      { status: 'ready' },
    ]);
    expect(items.get(tokenId)).toHaveProperty('revoked');
    expect(await violations(restored)).toEqual([]);
  });
});

test.skipIf(noTerminal)(
  'the plan is printed in numbers, and Ctrl-C at its question ends it',
  async () => {
    const { request, approval } = approvedRequest();
    await put(restored, token, request, approval);
    const args = ['restore', '--at', now, '--from', restored];
    const { child, asked, closed, output } = startOnTerminal(args, stackFile({ table: inService }));
    await asked;
    child.stdin.write('\u0003');

    const [code] = await closed;
    expect([code, output()]).toEqual([130, expect.stringContaining('Nothing was done.')]);
    expect(output()).toContain(
      'Plan: 3 to create. APPROVAL 1, PAYMENT_REQUEST 1, TOKEN 1, in about',
    );
    expect((await itemsOf(inService)).size).toBe(0);
  },
);

test.each([
  [2, 'Name the restored table', []],
  [1, 'in service already', ['--from', 'inService']],
  [1, '--from names Nowhere, and there is no such table', ['--from', 'Nowhere']],
  [1, '--into names Nowhere, and there is no such table', ['--into', 'Nowhere']],
  [1, '--from names Nowhere', ['--into', 'restored', '--from', 'Nowhere']],
])('exits with %s and says: %s', async (code, sentence, args) => {
  const tables: Record<string, string> = { inService, restored };
  const run = await restore(...args.map((arg) => tables[arg] ?? arg));
  expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(sentence)]);
});
