import { describe, expect, test } from 'vitest';
import { newTenant } from '../support/tenants.ts';
import { admin, adminAt, file } from './admin.ts';

const commands = [
  'account create',
  'workspace create',
  'manager add',
  'manager remove',
  'manager list',
  'token issue',
  'token list',
  'token revoke',
  'payment-request import',
  'payment-request show',
  'offer import',
  'offer show',
  'offer send',
  'offer mail-event',
  'sandbox list',
  'export',
  'import',
  'dead-letters list',
  'dead-letters show',
  'dead-letters redrive',
  'dead-letters discard',
  'outbox relay',
  'verify',
];

test.each(commands)('%s explains itself with an example', async (command) => {
  const { code, stdout } = await admin(...command.split(' '), '--help');
  expect(code).toBe(0);
  expect(stdout).toContain(`npm run admin -- ${command}`);
  for (const option of ['--json', '--stage', '--region', '--profile', '--yes']) {
    expect(stdout).toContain(option);
  }
});

test('explains its exit codes', async () => {
  const { code, stdout } = await admin('--help');
  expect(code).toBe(0);
  expect(stdout).toContain('Exit codes: 0 done; 1 ');
  for (const command of commands) expect(stdout).toContain(command.split(' ')[0]);
});

test.each([
  [['token', 'issue']],
  [['token', 'issue', '--workspace', 'wsp_demo', '--expires', 'yesterday']],
  [['manager', 'add', 'me', '--account', 'acc_demo']],
  [['account', 'create', '--name', '']],
  [['offer', 'send', 'ofr_x', '--key', '']],
  [['verify', '--unknown']],
  [['verify', '--stage', 'staging']],
])('exits with 2 and a sentence for %j', async (args) => {
  const { code, stdout, stderr } = await admin(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: .+\n$/);
});

describe('exits with 1 and a sentence', () => {
  const refused = async (...args: string[]) => {
    const { code, stderr } = await admin(...args);
    expect(stderr).not.toMatch(/\bat .*:\d+/);
    return [code, stderr];
  };

  test.each([
    [['payment-request', 'show', 'ptr_none'], 'There is no payment request ptr_none.'],
    [['sandbox', 'list', '--workspace', 'wsp_none'], 'There is no workspace wsp_none.'],
    [['manager', 'list', '--account', 'acc_none'], 'There is no account acc_none.'],
    [['token', 'revoke', 'nonsense'], 'Give the id of a token'],
    [['import', '/nowhere.jsonl'], 'There is no file /nowhere.jsonl.'],
    [['import', 'README.md'], 'README.md must end in .jsonl or .csv'],
    [['verify', '--profile', 'acme'], '--region and --profile belong to a deployed stage'],
  ])('for %j', async (args, sentence) => {
    expect(await refused(...args)).toEqual([1, expect.stringContaining(`error: ${sentence}`)]);
  });

  test('when nothing runs here', async () => {
    const { code, stderr } = await adminAt('/nowhere/stack.json', 'verify');
    expect(code).toBe(1);
    expect(stderr).toContain('/nowhere/stack.json is missing. Run `npm start`');
  });

  test.each([
    ['{}', 'does not describe a local run: table, endpoints'],
    ['', 'is not JSON.'],
  ])('when the stack file holds %j', async (content, sentence) => {
    const { code, stderr } = await adminAt(file('stack.json', content), 'verify');
    expect(stderr).toMatch(/^error: .+\n$/);
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  });

  test('when what ran here does not run any more', async () => {
    const gone = 'http://127.0.0.1:1';
    const stale = { table: 'Gone', endpoints: { dynamodb: gone, sqs: gone }, queues: {} };
    const { code, stderr } = await adminAt(
      file('stack.json', JSON.stringify(stale)),
      'offer',
      'show',
      'ofr_sent',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('is `npm start` still running?');
  });

  test('when something would be destroyed and nobody was asked', async () => {
    const { account, manager } = await newTenant();
    for (const args of [
      ['manager', 'remove', manager, '--account', account],
      ['dead-letters', 'discard', 'some-id'],
    ]) {
      expect(await refused(...args)).toEqual([1, expect.stringContaining('add --yes')]);
    }
    const { stdout } = await admin('manager', 'list', '--account', account);
    expect(stdout).toContain(manager);
  });
});
