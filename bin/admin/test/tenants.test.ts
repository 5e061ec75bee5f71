import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sha256 } from '../../../functions/runtime/sha256.ts';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readItem } from '../../../functions/store/read.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { call, send } from '../../../test/support/http.ts';
import { approve } from '../../../test/support/keyed-operations.ts';
import {
  newManager,
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  newToken,
  revoke,
  type Tenant,
} from '../../../test/support/tenants.ts';
import { author } from '../../../test/support/test-author.ts';
import { removeManager } from '../table/managers.ts';
import {
  admin,
  adminAt,
  adminJson,
  file,
  newTable,
  proxiedStackFile,
  sharedStackFile,
  stackFile,
} from './run-admin.ts';

test("what the README says makes a manager and a token of one's own", async () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');
  const [, commands = ''] = /## A token of your own\n.*?```bash\n(.*?)```/s.exec(readme) ?? [];
  const { stdout } = await promisify(execFile)('bash', ['-euc', commands], {
    env: { ...childEnvironment(), WFP_STACK_FILE: sharedStackFile },
  });
  const [manager = '', token = ''] = stdout.trim().split('\n');
  const { workspace } = await adminJson('token', 'show', token);
  const request = await newPaymentRequest(workspace);

  const { status, body } = await send(approve, { id: request.id, manager }, { token });

  expect([status, body.status]).toEqual([200, 'approved']);
});

test('accounts and workspaces are made once', async () => {
  const opaque = newOpaque();
  const account = ['account', 'create', '--id', `acc_${opaque}`, '--name', 'Acme'];
  const workspace = (id: string, owner = `acc_${opaque}`) =>
    admin('workspace', 'create', '--account', owner, '--id', id, '--name', 'Acme');
  await adminJson(...account);
  expect((await workspace(`wsp_${opaque}`)).stdout).toBe(`wsp_${opaque}\n`);

  const [ofAccount, ofWorkspace, inAccount] = await Promise.all([
    adminJson('account', 'show', `acc_${opaque}`),
    adminJson('workspace', 'show', `wsp_${opaque}`),
    adminJson('workspace', 'list', '--account', `acc_${opaque}`),
  ]);
  expect(ofAccount).toMatchObject({ id: `acc_${opaque}`, name: 'Acme', managers: [] });
  const made = { id: `wsp_${opaque}`, account: `acc_${opaque}`, name: 'Acme' };
  expect(ofWorkspace).toMatchObject(made);
  expect([ofWorkspace]).toMatchObject(inAccount);

  expect((await admin(...account)).stderr).toContain('exists already.');
  expect((await workspace(`wsp_${opaque}`)).stderr).toContain('exists already.');
  expect((await workspace('wsp_test_mine')).stderr).toContain('come with their sandbox');
  expect((await workspace('wsp_new', 'acc_none')).stderr).toContain('no account acc_none');
});

test('managers are added once, removed, and added again', async () => {
  const { account, manager, workspace, token } = await newTenant();
  const { id } = await newPaymentRequest(workspace);
  const approveAs = async () => (await send(approve, { id, manager }, { token })).body;
  const chosen = [manager.toUpperCase(), '--account', account];
  const add = () => adminJson('manager', 'add', ...chosen);

  expect(await add()).toEqual({ id: manager, account, added: false });
  await adminJson('manager', 'remove', ...chosen, '--yes');
  expect(await approveAs()).toMatchObject({ code: 'not_a_manager' });
  expect(await adminJson('manager', 'list', '--account', account)).toEqual([]);
  const again = await admin('manager', 'remove', ...chosen, '--yes');
  const sentence = expect.stringContaining(`${manager} was removed 20`);
  expect([again.code, again.stderr]).toEqual([1, sentence]);
  const { stdout } = await admin('manager', 'show', ...chosen);
  expect(stdout).toMatch(/^removed\.actor +operator:/m);

  expect(await add()).toEqual({ id: manager, account, added: true });
  expect(await approveAs()).toMatchObject({ status: 'approved' });
});

test.each<[string, (tenant: Tenant) => readonly string[]]>([
  ['account create', () => ['--name', 'Acme']],
  ['workspace create', ({ account }) => ['--account', account, '--name', 'Acme']],
  ['manager add', ({ account }) => ['--account', account]],
  ['manager remove', ({ account, manager }) => [manager, '--account', account, '--yes']],
  ['token issue', ({ workspace }) => ['--workspace', workspace, '--scopes', 'sandboxes:read']],
  ['token revoke', ({ token }) => [token, '--yes']],
])('%s whose response is lost is reported as done', async (command, argumentsOf) => {
  const { proxy, at } = await proxiedStackFile();
  for (const operation of ['PutItem', 'UpdateItem', 'TransactWriteItems']) {
    proxy.inject({ operation, calls: [1], fault: { kind: 'loseResponse' } });
  }
  const run = await adminAt(at, ...command.split(' '), ...argumentsOf(await newTenant()));
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) });
  expect(run.stderr).not.toContain('already');
  expect(proxy.clear().met).toEqual(['loseResponse']);
});

test('a manager stays as other commands have left it since a command has read it', async () => {
  const { account, manager } = await newTenant();
  const chosen = [manager, '--account', account];
  const now = () => readItem(keys.manager(account, manager));
  const asRead = (await now()) ?? {};
  const remove = () => removeManager(asRead, { ...author, at: new Date().toISOString() });
  const act = {
    actor: expect.stringMatching(/^operator:./),
    request: expect.not.stringMatching(author.request),
  };

  await adminJson('manager', 'remove', ...chosen, '--yes');
  expect([await remove(), await now()]).toMatchObject([false, { removed: act }]);
  await adminJson('manager', 'add', ...chosen);
  expect([await remove(), await now()]).toMatchObject([false, { added: act }]);
  expect(await now()).not.toHaveProperty('removed');
});

test('managers are those of a file, whose others are removed on demand alone', async () => {
  const { account, manager: kept } = await newTenant();
  const [removed, first, second] = [await newManager(account), randomUUID(), randomUUID()];
  const ids = (text: string) => file('managers.txt', text);
  const sync = (path: string, ...args: string[]) =>
    adminJson('manager', 'sync', path, '--account', account, ...args);
  const list = async () =>
    (await adminJson('manager', 'list', '--account', account)).map(({ id }: { id: string }) => id);
  await adminJson('manager', 'remove', removed, '--account', account, '--yes');

  const chosen = ids(`\ufeff${kept.toUpperCase()}\r\n${removed}\r\n\r\n${first}`);
  expect(await sync(chosen)).toEqual({ account, added: 2, removed: 0 });
  expect(await sync(chosen)).toEqual({ account, added: 0, removed: 0 });
  expect(await list()).toEqual([kept, removed, first].sort());

  expect(await sync(ids(first))).toEqual({ account, added: 0, removed: 0 });
  const others = ids(`${second}\n${first}\n${second}\n`);
  const refused = await admin('manager', 'sync', others, '--account', account, '--remove-others');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`Remove 2 managers of ${account} not in ${others}? Confirm with --yes`),
  ]);
  expect(await list()).toHaveLength(3);
  const removing = ['--remove-others', '--yes'];
  expect(await sync(others, ...removing)).toEqual({ account, added: 1, removed: 2 });
  expect(await sync(others, ...removing)).toEqual({ account, added: 0, removed: 0 });
  expect(await list()).toEqual([first, second].sort());

  for (const [path, sentence] of [
    [ids(`${kept}\nme`), 'Line 2 of '],
    [ids('00000000-0000-0000-0000-000000000000'), ': Must not be the nil UUID.\n'],
    [ids('\n'), 'names no manager.'],
    ['/nowhere/managers.txt', 'error: /nowhere/managers.txt does not exist.\n'],
  ] as const) {
    const run = admin('manager', 'sync', path, '--account', account, ...removing);
    expect(await run).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
  }
  expect(await list()).toEqual([first, second].sort());
});

test('payment requests are listed with their versions, or those of one status', async () => {
  const { workspace } = await newTenant();
  const [pending, cancelled] = [`ptr_${newOpaque()}`, `ptr_${newOpaque()}`];
  const rest = 'wr_1,1250.00,USD,INV-1,2026-10-01,2026-10-31';
  const csv = file(
    'requests.csv',
    `id,version,status,worker,amount,currency,reference,period.starts,period.ends
${pending},7,pending,${rest}
${cancelled},8,cancelled,${rest}`,
  );
  await adminJson('payment-request', 'import', csv, '--workspace', workspace);
  const { stdout } = await admin(
    ...['payment-request', 'list', '--workspace', workspace, '--status', 'pending'],
  );
  expect(stdout.replaceAll(/ +/g, ' ')).toMatch(
    new RegExp(`^ID VERSION STATUS .*\n${pending} 7 pending .*\n$`),
  );
});

test('what a sender has written acts on no terminal, nor does its JSON', async () => {
  const payment = { '\u001b[2J\r\namount 1.00': '\u202e\u2066\u200f\u200d' };
  const { id } = await newPaymentRequest((await newTenant()).workspace, { payment });
  const show = (...args: string[]) => admin('payment-request', 'show', id, ...args);
  expect((await show()).stdout).toContain(
    '\npayment.\\u001b[2J\\u000d\\u000aamount 1.00  \\u202e\\u2066\u200f\u200d\n',
  );
  expect((await show('--json')).stdout).toContain(
    '"payment":{"\\u001b[2J\\r\\namount 1.00":"\\u202e\\u2066\u200f\u200d"}',
  );
});

test('tokens are listed by their ids, and a revoked one leaves its record', async () => {
  const { workspace, token } = await newTenant();
  const list = () => adminJson('token', 'list', '--workspace', workspace);
  const scopes = ['sandboxes:read,offers:resend', 'offers:resend sandboxes:read'];
  const named = ['--scopes', ...scopes, '--name', 'Payroll'];
  const issued = await adminJson('token', 'issue', '--workspace', workspace, ...named);
  expect(issued.id).toMatch(/^tok_[0-9A-Z]{26}$/);

  const all = await list();
  expect(all).toHaveLength(2);
  const operator = expect.stringMatching(/^operator:./);
  const run = expect.stringMatching(/^run_[0-9A-Z]{26}$/);
  const payroll = expect.objectContaining({ id: issued.id, name: 'Payroll' });
  expect(all).toContainEqual(payroll);
  expect(await adminJson('token', 'list')).toContainEqual(payroll);
  expect(await adminJson('token', 'show', issued.id)).toMatchObject({
    author: { actor: operator, request: run, version: 'v1' },
  });
  for (const secret of [issued.token, token, sha256(issued.token)]) {
    expect(JSON.stringify(all)).not.toContain(secret);
  }
  const { stdout } = await admin('token', 'list', '--workspace', workspace);
  expect(stdout).toContain(`${issued.id}  Payroll  ${workspace}  sandboxes:read offers:resend  `);

  await adminJson('token', 'revoke', issued.id, '--yes');
  await adminJson('token', 'revoke', token, '--yes');
  const revoked = { at: expect.any(String), actor: operator, request: run, version: 'v1' };
  expect(await list()).toMatchObject([{ revoked }, { revoked }]);
  const response = await call('GET', '/v1/sandboxes', { token: issued.token });
  expect(response.body.code).toBe('unauthenticated');
  const report = await admin('token', 'show', issued.id);
  expect(report.stdout).toMatch(/^revoked\.actor +operator:/m);
  const again = await admin('token', 'revoke', issued.id, '--yes');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('was revoked 20')]);
  const none = `tok_${newOpaque()}`;
  const unknown = await admin('token', 'revoke', none, '--yes');
  expect([unknown.code, unknown.stderr]).toEqual([1, `error: There is no token ${none}.\n`]);
});

test('a revocation that another command was quicker with is not reported as done', async () => {
  const { token } = await newTenant();
  const { id } = await adminJson('token', 'show', token);
  const { proxy, at } = await proxiedStackFile();
  proxy.inject({ operation: 'PutItem', calls: [1], fault: { kind: 'reset' } });
  const { held, release } = proxy.hold({ operation: 'PutItem', calls: [1] });
  const late = adminAt(at, 'token', 'revoke', id, '--yes');
  await held;
  await revoke(token);
  release();
  const { code, stderr } = await late;
  expect([code, stderr]).toEqual([1, `error: ${id} was revoked by another command.\n`]);
});

const createWorkspace = (account: string) =>
  adminJson('workspace', 'create', '--account', account, '--name', 'Acme');

test('all sandboxes of a workspace are listed, newest first', async () => {
  const { workspace } = await newTenant();
  const sandboxes = await newSandboxes(workspace, 101);
  expect(await adminJson('sandbox', 'list', '--workspace', workspace)).toEqual(sandboxes.reverse());
});

test.each([
  ['payment-request', '--workspace', ({ workspace }: Tenant) => newPaymentRequest(workspace)],
  ['offer', '--workspace', ({ workspace }: Tenant) => newOffer(workspace)],
  ['sandbox', '--workspace', ({ workspace }: Tenant) => newSandboxes(workspace, 1)],
  ['token', '--workspace', (tenant: Tenant) => newToken(tenant)],
  ['manager', '--account', ({ account }: Tenant) => newManager(account)],
  ['workspace', '--account', ({ account }: Tenant) => createWorkspace(account)],
] as const)('%s list prints all of its parent, or the first few', async (noun, flag, create) => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  for (const each of [tenant, tenant, tenant, other]) await create(each);
  const of = [flag, flag === '--account' ? tenant.account : tenant.workspace];
  // A new tenant has a token, a manager and a workspace.
  const count = ['token', 'manager', 'workspace'].includes(noun) ? 4 : 3;

  const all = await adminJson(noun, 'list', ...of);
  const first = await admin(noun, 'list', ...of, '--limit', '2', '--json');
  const within = ['sandbox', 'manager'].includes(noun) ? of : [];
  const one = await adminJson(noun, 'show', all[0].id, ...within);
  const people = await admin(noun, 'list', ...of);

  expect(new Set(all.map(({ id }: { id: string }) => id)).size).toBe(count);
  expect(JSON.parse(first.stdout)).toEqual(all.slice(0, 2));
  expect(first.stderr).toBe('These are the first 2: there may be more.\n');
  expect([one.id, one.created]).toEqual([all[0].id, all[0].created]);
  expect(people.stdout.trim().split('\n')).toHaveLength(1 + count);
  expect(people.stderr).toBe('');
});

test('a list of nothing says so', async () => {
  const none = await adminAt(stackFile({ table: await newTable() }), 'account', 'list');
  expect(none.stdout).toBe('No accounts.\n');
});
