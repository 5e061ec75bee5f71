import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { recordLine } from '../../bin/admin/kinds/all.ts';
import { Import } from '../../bin/admin/merge/import-lines.ts';
import { openLines } from '../../bin/admin/merge/read-lines.ts';
import { recordReader } from '../../bin/admin/merge/record-reader.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { read } from '../../functions/store/read.ts';
import { queueUrl } from '../../lib/local/aws-account.ts';
import { QueueService, startSqsServer } from '../../lib/local/local-engine.ts';
import { errorAnswer, FaultProxy } from '../support/fault-proxy.ts';
import { parseLines } from '../support/json-lines.ts';
import { stack } from '../support/running-stack.ts';
import {
  approvalBy,
  newPaymentRequest,
  newTenant,
  pendingPaymentRequest,
} from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { jsonl, separateWorkspace } from './lines.ts';
import {
  adminAt,
  file,
  jsonAt,
  proxiedStackFile,
  sharedStackFile,
  stackFile,
} from './run-admin.ts';

test('an import goes on through throttling, conflicts and lost replies, and counts right', async () => {
  const { workspace, table } = await separateWorkspace();
  const { proxy, at } = await proxiedStackFile(table);
  const operation = 'TransactWriteItems';
  const conflict = errorAnswer('TransactionCanceledException:TransactionConflict');
  const throttled = errorAnswer('ThrottlingException');
  proxy.inject({ operation, calls: [1, 2, 3, 4, 5], fault: throttled });
  proxy.inject({ operation, calls: [2], fault: conflict });
  proxy.inject({ operation, calls: [3], fault: { kind: 'loseReply' } });
  const lines = Array.from({ length: 250 }, () => `ofr_${newOpaque()},worker@example.com`);
  const path = file('offers.csv', ['id,recipient_email', ...lines].join('\n'));

  const { code, stdout } = await adminAt(at, 'offer', 'import', path, '--workspace', workspace);

  expect([code, stdout]).toEqual([0, '250 lines: 250 created, 0 there already, 0 bad.\n']);
  expect(new Set(proxy.clear().met)).toEqual(new Set(['answer', 'loseReply']));
});

test('an update of an import whose reply is lost counts', async () => {
  const { workspace } = await newTenant();
  const { id } = await newPaymentRequest(workspace);
  const { stdout } = await adminAt(sharedStackFile, 'export', '--workspace', workspace);
  const line = parseLines(stdout).find(({ type }) => type === 'PAYMENT_REQUEST');
  const path = jsonl({ ...line, status: 'paid', payment: { id: 'pay_1' } });
  const { proxy, at } = await proxiedStackFile();
  proxy.inject({ operation: 'UpdateItem', calls: [1], fault: { kind: 'loseReply' } });

  expect(await jsonAt(at, 'import', path)).toMatchObject({ updated: 1, present: 0, findings: {} });
  expect(proxy.clear().met).toEqual(['loseReply']);
  expect(await read(keys.paymentRequest(id))).toMatchObject({ status: 'paid' });
});

test.each(['SendMessage', 'DeleteMessage'])(
  'a redrive whose %s fails loses nothing',
  async (operation) => {
    const queues = new QueueService();
    for (const name of ['letters', 'work']) queues.create({ ...settings, name });
    const sqs = await startSqsServer(queues);
    const { messageId } = queues.send('letters', { body: 'precious' });
    const proxy = await FaultProxy.start(sqs.url);
    onTestFinished(() => proxy.stop());
    proxy.inject({ operation, fault: errorAnswer('AccessDenied') });
    const at = stackFile({
      endpoints: { ...stack.endpoints, sqs: proxy.url },
      queues: {
        own: { url: queueUrl(proxy.url, 'work'), deadLetters: queueUrl(proxy.url, 'letters') },
      },
    });

    const failed = await adminAt(at, 'dead-letters', 'redrive', messageId);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('AccessDenied')]);
    expect(queues.attributes('letters').visible).toBe(1);

    proxy.clear();
    const done = await jsonAt(at, 'dead-letters', 'redrive', messageId);
    expect(done).toEqual({ redriven: [messageId], missing: [] });
    expect(queues.attributes('letters').visible).toBe(0);
    const received = await queues.receive('work', { maximum: 10 });
    const copies = operation === 'SendMessage' ? 1 : 2;
    expect(received.map(({ body }) => body)).toEqual(Array(copies).fill('precious'));
    await sqs.stop();
  },
);

const settings = {
  visibilityTimeoutMs: 30_000,
  retentionMs: 3_600_000,
};

test.each([0, 1])(
  'of a file whose reading ends after %i lines, no other line is read',
  async (count) => {
    // More than one chunk of a file, so that the first one ends within a line.
    const path = file('offers.jsonl', '{"id":"ofr_1"}\n'.repeat(10_000));
    const interruption = new AbortController();
    const lines = openLines({ file: path, signal: interruption.signal });
    const read = [];
    if (count === 0) interruption.abort();
    for await (const line of lines) {
      read.push(line);
      interruption.abort();
    }

    expect(read).toHaveLength(count);
  },
);

test('an import whose reading ends misses no item that it has not read', async () => {
  const interruption = new AbortController();
  const { signal } = interruption;
  const request = pendingPaymentRequest();
  const approval = { ...approvalItem(approvalBy(randomUUID(), request.id)), author };
  async function* lines() {
    yield { number: 1, value: recordLine(approval) };
    interruption.abort();
  }
  const importing = new Import();
  const reader = recordReader({ ...author, at: new Date().toISOString() });

  await importing.read(lines(), reader, { signal, onLines: () => {} });

  expect([importing.lines, [...importing.findings.list()]]).toEqual([1, []]);
});
