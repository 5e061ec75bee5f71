import { expect, test } from 'vitest';
import type { Item } from '../../bin/admin/table/scan.ts';
import { queueUrl } from '../../lib/local/aws-account.ts';
import { QueueService, startSqsServer } from '../../lib/local/local-engine.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { stack } from '../support/running-stack.ts';
import { newOffer, newTenant } from '../support/tenants.ts';
import { jsonl } from './lines.ts';
import { adminAt, adminJson, proxiedStackFile, stackFile } from './run-admin.ts';

const loseReply = { kind: 'loseReply' } as const;

/** A command, the write whose replies are lost, and what the command then says. */
const commands = {
  'token issue': async () => {
    const { workspace } = await newTenant();
    return {
      args: ['token', 'issue', '--workspace', workspace],
      operation: 'PutItem',
      advice: /If `token show tok_\w+` finds the token, revoke it/,
    };
  },
  'token revoke': async () => {
    const { workspace } = await newTenant();
    const { id } = await adminJson('token', 'issue', '--workspace', workspace);
    return {
      args: ['token', 'revoke', id, '--yes'],
      operation: 'UpdateItem',
      advice: `\`token show ${id}\` shows it.`,
      shows: { revoked: expect.anything() },
    };
  },
  'manager remove': async () => {
    const { account, manager } = await newTenant();
    return {
      args: ['manager', 'remove', manager, '--account', account, '--yes'],
      operation: 'UpdateItem',
      advice: `\`manager show ${manager} --account ${account}\` shows it.`,
      shows: { removed: expect.anything() },
    };
  },
  'manager add': async () => {
    const { account } = await newTenant();
    const id = crypto.randomUUID();
    return {
      args: ['manager', 'add', id, '--account', account],
      operation: 'TransactWriteItems',
      advice: `\`manager show ${id} --account ${account}\` shows it.`,
      shows: { id },
    };
  },
  'account create': async () => ({
    args: ['account', 'create', '--name', 'Acme'],
    operation: 'TransactWriteItems',
    advice: /`account show acc_\w+` shows it\./,
  }),
  'workspace create': async () => {
    const { account } = await newTenant();
    return {
      args: ['workspace', 'create', '--account', account, '--name', 'Acme'],
      operation: 'TransactWriteItems',
      advice: /`workspace show wsp_\w+` shows it\./,
    };
  },
  'payment-request create': async () => {
    const { workspace } = await newTenant();
    const members = [
      '--worker',
      'wr_1',
      '--amount',
      '1.00',
      '--currency',
      'USD',
      '--reference',
      'R',
    ];
    const period = ['--starts', '2026-10-01', '--ends', '2026-10-31'];
    return {
      args: ['payment-request', 'create', '--workspace', workspace, ...members, ...period],
      operation: 'TransactWriteItems',
      advice: /`payment-request show ptr_\w+` shows it\./,
    };
  },
  'offer send': async () => {
    const { workspace } = await newTenant();
    const { id } = await newOffer(workspace, { status: 'draft' });
    return {
      args: ['offer', 'send', id, '--key', 'k'],
      operation: 'TransactWriteItems',
      advice: 'The same command sends the offer once',
    };
  },
  redact: async () => {
    const { workspace } = await newTenant();
    const { recipient_email } = await newOffer(workspace);
    return {
      args: ['redact', '--workspace', workspace, '--recipient', recipient_email, '--yes'],
      operation: 'PutItem',
      advice: 'The same command continues.',
    };
  },
} as const satisfies Record<string, () => Promise<Lost>>;

interface Lost {
  readonly args: readonly string[];
  readonly operation: string;
  readonly advice: string | RegExp;
  readonly shows?: Item | undefined;
}

test.concurrent.for(Object.entries(commands))(
  '%s says that its outcome is unknown when no reply comes',
  async ([, prepare], { onTestFinished }) => {
    const { args, operation, advice, ...rest } = await (prepare as () => Promise<Lost>)();
    const { proxy, at } = await proxiedStackFile(stack.table, onTestFinished);
    proxy.inject({ operation, fault: loseReply });

    const { code, stdout, stderr } = await adminAt(at, ...args);

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^error: It is unknown whether this took effect, because no reply came/m,
    );
    expect(stderr).toMatch(advice);
    const [, command = ''] = /`(.* show .*?)`/.exec(stderr) ?? [];
    if (!command) return;
    const shown = await adminAt(stackFile(), ...command.split(' '), '--json');
    if ('shows' in rest && !rest.shows) expect(shown.code).toBe(1);
    else expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([0, rest.shows ?? {}]);
  },
);

test.concurrent('an import of one line says that the same command continues', async ({
  onTestFinished,
}) => {
  const { workspace } = await newTenant();
  const { proxy, at } = await proxiedStackFile(stack.table, onTestFinished);
  proxy.inject({ operation: 'TransactWriteItems', fault: loseReply });
  const path = jsonl({ id: 'ofr_1', recipient_email: 'worker@example.com' });

  const { code, stderr } = await adminAt(at, 'offer', 'import', path, '--workspace', workspace);

  expect([code, stderr]).toEqual([1, expect.stringContaining('The same command continues.')]);
});

test.concurrent.each(['redrive', 'discard'])(
  'dead-letters %s says that its outcome is unknown when no reply comes',
  async (command) => {
    const queues = new QueueService();
    const settings = { visibilityTimeoutMs: 30_000, delayMs: 0, retentionMs: 3_600_000 };
    for (const name of ['letters', 'work']) queues.create({ ...settings, name });
    const sqs = await startSqsServer(queues);
    const { messageId } = queues.send('letters', { body: 'precious' });
    const proxy = await FaultProxy.start(sqs.url);
    proxy.inject({ operation: 'DeleteMessage', fault: loseReply });
    const own = { url: queueUrl(proxy.url, 'work'), deadLetters: queueUrl(proxy.url, 'letters') };
    const at = stackFile({ endpoints: { ...stack.endpoints, sqs: proxy.url }, queues: { own } });

    const { code, stderr } = await adminAt(at, 'dead-letters', command, messageId, '--yes');

    const advice = '`dead-letters list` shows those that are left.';
    expect([code, stderr]).toEqual([1, expect.stringContaining(advice)]);
    expect(stderr).toContain('It is unknown whether this took effect');
    await proxy.stop();
    await sqs.stop();
  },
);
