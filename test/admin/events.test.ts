import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { readEvents } from '../../bin/admin/events/event-tap.ts';
import { recordLine } from '../../bin/admin/kinds/all.ts';
import { countOf } from '../../bin/admin/terminal/print.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import type { Event } from '../../functions/domain/events.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { credentials, region } from '../../lib/local/aws-account.ts';
import { newAttempt } from '../support/delivery-attempts.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { send } from '../support/http.ts';
import { parseLines } from '../support/json-lines.ts';
import { approve } from '../support/keyed-operations.ts';
import { stack } from '../support/running-stack.ts';
import {
  approvalBy,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  pendingPaymentRequest,
  waitingSandbox,
} from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import {
  admin,
  adminAt,
  adminWithoutRoom,
  createSandbox,
  fullDevice,
  newTable,
  stackFile,
  stageOf,
  startAdmin,
  startAdminProcess,
} from './run-admin.ts';

/** Before this file's first event. */
const start = new Date().toISOString();

const eventsIn = (output: string, workspace: string): Event[] =>
  parseLines(output.slice(0, output.lastIndexOf('\n') + 1)).filter(
    (event) => event.workspace === workspace,
  );

const idsOf = (events: readonly Event[]) => events.map(({ id }) => id).sort();

/** Follows the events of a workspace; `seen` is what was printed of them so far. */
const follow = (workspace: string) => {
  const { child, run } = startAdminProcess(['events', '--follow', '--json']);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const stop = async () => {
    child.kill('SIGINT');
    expect(await run).toMatchObject({ code: 0, stderr: '' });
  };
  return { seen: () => eventsIn(output, workspace), stop };
};

test('--follow prints the events as they come', async () => {
  const tenant = await newTenant();
  const { seen, stop } = follow(tenant.workspace);
  const created: string[] = [];
  const seenAfterAnother = async () => {
    created.push(await createSandbox(tenant, 'Followed'));
    return seen();
  };
  // The command needs a moment to begin.
  await expect.poll(seenAfterAnother).not.toEqual([]);
  const ids = created.flatMap((id) => [`evt_${id}_created`, `evt_${id}_ready`]);
  expect(ids).toEqual(expect.arrayContaining(idsOf(seen())));
  await stop();
});

test('--follow has a queue for a day of events, removed when its terminal or reader is gone', async () => {
  const tenant = await newTenant();
  const sqs = new SQSClient({ endpoint: stack.endpoints.sqs });
  const queues = async () => {
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    return QueueUrls.filter((url) => url.includes('/events-command-'));
  };
  const before = await queues();
  const own = async () => (await queues()).filter((url) => !before.includes(url));
  const leave = [
    (child: ChildProcess) => child.kill('SIGHUP'),
    (child: ChildProcess) => child.stdout?.destroy(),
  ];
  for (const goAway of leave) {
    const { child, run } = startAdminProcess(['events', '--follow', '--json']);
    // The pipe is closed before its end.
    run.catch(() => {});
    await expect.poll(own).toHaveLength(1);
    const [QueueUrl] = await own();
    const kept = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    // Events wait there while a handler is slow.
    expect((await sqs.send(kept)).Attributes).toMatchObject({ MessageRetentionPeriod: '86400' });
    goAway(child);
    const ownAfterAnother = async () => {
      // A closed pipe is noticed when there is something to print.
      await createSandbox(tenant, 'Unread');
      return own();
    };
    await expect.poll(ownAfterAnother).toEqual([]);
  }
});

test.skipIf(!existsSync(fullDevice))('--follow ends when its output finds no room', async () => {
  const tenant = await newTenant();
  const { child, run } = adminWithoutRoom('events', '--follow');
  const exitCodeAfterAnother = async () => {
    await createSandbox(tenant, 'Unwritten');
    return child.exitCode;
  };
  await expect.poll(exitCodeAfterAnother).not.toBe(null);
  const { code, stderr } = await run;
  expect(code).toBe(1);
  expect(stderr.match(/could not be written/g)).toHaveLength(1);
});

test('--since prints the events of the archive, and --until ends the span', async () => {
  const tenant = await newTenant();
  const id = await createSandbox(tenant, 'Archived');
  const printed = async (...span: string[]) => {
    const { code, stdout, stderr } = await admin('events', ...span, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return idsOf(eventsIn(stdout, tenant.workspace));
  };
  await expect
    .poll(() => printed('--since', start))
    .toEqual([`evt_${id}_created`, `evt_${id}_ready`]);
  expect(await printed('--since', '2h', '--until', '1h')).toEqual([]);

  const { stdout } = await admin('events', '--since', '1h');
  expect(stdout).toMatch(new RegExp(`sandbox\\.ready +${id} +${tenant.workspace}`));
});

const none = 'error: Interrupted after 0 events; there may be more.\n';
test.each([
  [130, 'SIGINT', none, ['--since', '1h']],
  [143, 'SIGTERM', none, ['--since', '1h']],
  [0, 'SIGINT', '', ['--follow']],
] as const)(
  'on a stage, a reading waits for its rule: it exits with %i after %s',
  async (code, signal, stderr, args) => {
    const { EventBusArn, EventArchiveArn } = stack.outputs;
    const outputs = { TableName: await newTable(), EventBusArn, EventArchiveArn };
    const { environment } = await stageOf(outputs);
    const proxy = await FaultProxy.start(stack.endpoints.eventbridge);
    onTestFinished(() => proxy.stop());
    const called = () => proxy.seen.map(({ operation }) => operation);
    const { child, run } = startAdminProcess(
      ['--stage', 'dev', '--region', region, 'events', ...args],
      '',
      { ...environment, AWS_ENDPOINT_URL_EVENTBRIDGE: proxy.url },
    );
    await expect.poll(called).toContain('PutTargets');
    child.kill(signal);

    expect(await run).toMatchObject({ code, stdout: '', stderr });
    expect(called()).toEqual(['PutRule', 'PutTargets', 'RemoveTargets', 'DeleteRule']);
  },
);

test.each([
  ['SIGINT', 130, 0],
  ['SIGTERM', 143, 0],
] as const)(
  'after %s --since ends with %i and the count, and --follow with %i',
  async (signal, code, ofFollow) => {
    const tenant = await newTenant();
    await createSandbox(tenant, 'Archived');
    const archived = async () => (await admin('events', '--since', start)).stdout;
    await expect.poll(archived).not.toBe('');
    for (const [args, expected] of [
      [['--since', start], code],
      [['--since', start, '--follow'], ofFollow],
    ] as const) {
      const { child, run } = startAdminProcess(['events', ...args, '--json']);
      await once(child.stdout, 'data');
      child.kill(signal);

      const { code: exitCode, stdout, stderr } = await run;

      const count = countOf(parseLines(stdout).length, 'event');
      const error = `Interrupted after ${count}; there may be more.`;
      expect([exitCode, stderr]).toEqual([
        expected,
        expected ? `${JSON.stringify({ error, exit_code: code })}\n` : '',
      ]);
    }
  },
);

test('the last poll of a replay is as long as the stage needs, and ends at an interruption', async () => {
  const proxy = await FaultProxy.start(stack.endpoints.sqs);
  onTestFinished(() => proxy.stop());
  const settings = { region, credentials };
  const service = {
    eventBus: stack.outputs.EventBusArn,
    eventArchive: stack.outputs.EventArchiveArn,
    sqs: new SQSClient({ ...settings, endpoint: proxy.url, useQueueUrlAsEndpoint: false }),
    eventBridge: new EventBridgeClient({ ...settings, endpoint: stack.endpoints.eventbridge }),
    eventDelays: { ruleMs: 1, lastPollS: 7 },
  };
  const { held, release } = proxy.hold({ operation: 'ReceiveMessage' });
  const stopped = new AbortController();
  const [since, until] = [new Date(Date.now() - 2000), new Date(Date.now() - 1000)];
  const reading = readEvents(service, { span: { since, until }, signal: stopped.signal });
  const events = Array.fromAsync(reading);
  await held;
  stopped.abort();

  expect(await events).toEqual([]);
  release();
  const [poll] = proxy.seen.filter(({ operation }) => operation === 'ReceiveMessage');
  expect(JSON.parse(poll?.body ?? '')).toMatchObject({ WaitTimeSeconds: 7 });
  expect(proxy.seen.at(-1)?.operation).toBe('DeleteQueue');
});

test('people read the reason of an approval', async () => {
  const { workspace, manager: approver, token } = await newTenant();
  const { id } = await newPaymentRequest(workspace);
  await send(approve, { id, manager: approver, reason: 'Matches the timesheet' }, { token });
  await expect
    .poll(async () => (await admin('events', '--since', start)).stdout)
    .toMatch(new RegExp(`apprdec_\\w+ +Matches the timesheet +${workspace}`));
});

test('publish makes the events of what the table says again, each as it was', async () => {
  const { workspace, account, manager } = await newTenant();
  const request = await newPaymentRequest(workspace);
  const [ready] = await newSandboxes(workspace, 1);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const [early, late] = [daysAgo(9), daysAgo(8)];
  const attempt = newAttempt('ofr_1', early);
  const mailed = newAttempt('ofr_4', early);
  const approval = approvalBy(manager, request.id, { created: late });
  const imported = { ...newAuthor('operator:test', 'run_1'), at: late };
  const old = approvalBy(manager, request.id, { created: daysAgo(20) });
  const waiting = newAttempt('ofr_3', daysAgo(20));
  const items = [
    workspaceItem({ id: workspace, account, name: 'Company', created: early }),
    paymentRequestItem(workspace, request),
    approvalItem(approval),
    { ...deliveryItem(workspace, attempt), status: 'failed', reason: 'why', updated: late },
    {
      ...deliveryItem(workspace, mailed),
      ...{ status: 'delivered', sent_at: early, bounced_at: late, delivered_at: late },
      updated: late,
    },
    sandboxItem({ ...(ready as NonNullable<typeof ready>), created: late, updated: late }),
    {
      ...deliveryItem(workspace, newAttempt('ofr_2', early)),
      ...{ status: 'sent', updated: late },
      imported,
    },
    { ...approvalItem(old), imported },
    { ...deliveryItem(workspace, waiting), imported },
  ];
  const table = await newTable(items.map((item) => ({ ...item, author })));
  const publish = async (...args: string[]) => {
    const { code, stdout } = await adminAt(
      stackFile({ table }),
      ...['events', 'publish', '--json', ...args],
    );
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };
  expect(await publish('--since', late, '--dry-run')).toEqual({ found: 3, published: 0 });
  expect(await publish('--since', late)).toEqual({ found: 3, published: 3 });
  expect(await publish('--since', early)).toEqual({ found: 6, published: 6 });

  const { stdout } = await admin('events', '--since', '10d', '--until', '7d', '--json');
  const published = eventsIn(stdout, workspace);
  expect(idsOf(published)).toEqual(
    [
      `evt_${approval.id}_approved`,
      `evt_${attempt.id}_created`,
      `evt_${attempt.id}_failed_why`,
      `evt_${mailed.id}_created`,
      `evt_${mailed.id}_sent`,
      // Not that it had bounced: why is not kept.
      `evt_${mailed.id}_delivered`,
    ].sort(),
  );
  expect(published.find(({ type }) => type === 'delivery_attempt.sent')).toMatchObject({
    time: early,
    data: { status: 'sent' },
  });
  const { id, offer, created } = attempt;
  expect(published.find((event) => event.id === `evt_${id}_created`)).toEqual({
    id: `evt_${id}_created`,
    type: 'delivery_attempt.created',
    version: 1,
    workspace,
    account,
    time: early,
    request_id: author.request,
    actor: author.actor,
    data: { id, offer, status: 'queued', created },
  });
});

test('an import publishes nothing of what it brings, and then what happens to it', async () => {
  const { workspace, manager: approver } = await newTenant();
  const request = pendingPaymentRequest({ status: 'approved' });
  const sandbox = waitingSandbox(workspace);
  // An approval before its payment request, as an export has them.
  const lines = [
    approvalItem(approvalBy(approver, request.id)),
    paymentRequestItem(workspace, request),
    sandboxItem(sandbox),
  ].map((item) => JSON.stringify(recordLine({ ...item, author })));
  const { stdin, run } = startAdmin(['import', '-']);
  stdin.end(`${lines.join('\n')}\n`);
  expect(await run).toMatchObject({ code: 0 });
  const archived = async () => {
    const { stdout } = await admin('events', '--since', start, '--json');
    return idsOf(eventsIn(stdout, workspace));
  };
  await expect.poll(archived).toEqual([`evt_${sandbox.id}_ready`]);
  const { stdout } = await admin('dead-letters', 'list', '--queue', 'events', '--json');
  expect(stdout).not.toContain(request.id);
});

test('publish names what it cannot publish, and publishes the rest', async () => {
  const { workspace, account, manager: approver } = await newTenant();
  const created = '2020-01-01T00:00:00.000Z';
  const lost = approvalBy(approver, 'ptr_lost', { created });
  const attempt = newAttempt('ofr_1', created);
  const items = [
    workspaceItem({ id: workspace, account, name: 'Company', created }),
    approvalItem(lost),
    deliveryItem(workspace, attempt),
  ];
  const table = await newTable(items.map((item) => ({ ...item, author })));
  const { code, stdout, stderr } = await adminAt(
    stackFile({ table }),
    ...['events', 'publish', '--since', created],
  );
  expect(code).toBe(1);
  expect(stdout).toContain('1 event published.');
  expect(stderr).toContain(`APPROVAL#${lost.id}`);
});

test.each([
  [[], 'Give --follow, --since or both.'],
  [['--since', 'yesterday'], 'Give a time such as'],
  [['--since', '2999-01-01T00:00:00Z'], 'in the past'],
  [['--since', '1h', '--until', '2h'], 'later time'],
  [['--follow', '--until', '1h'], '--until ends a span that --since begins'],
  [
    ['--follow', '--type', 'sandbox.lost'],
    'The types are payment_request.approved, sandbox.created',
  ],
  [['--follow', '--forward-to', '127.0.0.1:4000'], 'Give a URL such as'],
])('events %j is a wrong command line', async (args, sentence) => {
  const { code, stderr } = await admin('events', ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});

test('a service without a bus says so', async () => {
  const { code, stderr } = await adminAt(stackFile({ eventBus: undefined }), 'events', '--follow');
  expect([code, stderr]).toEqual([1, expect.stringContaining('no event bus')]);
});

test('--forward-to refuses credentials, and does not print the password', async () => {
  const { code, stdout, stderr } = await admin(
    ...['events', '--since', '1h', '--forward-to', 'http://user:s3cret@127.0.0.1:4000'],
  );
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('must not contain credentials');
  expect(stderr).not.toContain('s3cret');
});
