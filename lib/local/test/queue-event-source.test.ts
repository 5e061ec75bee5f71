import type { SQSEvent } from 'aws-lambda';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { BatchLog } from '../lambda/batch.ts';
import { consumeQueue } from '../lambda/queue-event-source.ts';
import { QueueService } from '../sqs/queue-service.ts';

const timeoutMs = 60_000;

let nowMs: number;
let queue: QueueService;
let logs: BatchLog[];
let events: SQSEvent[];

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  [logs, events] = [[], []];
  queue = new QueueService(() => nowMs);
  queue.create({ name: 'offers', visibilityTimeoutMs: timeoutMs });
});

const consume = (handler: (event: SQSEvent) => unknown, batchSize = 10): void => {
  const invoke = async (event: unknown) => {
    events.push(event as SQSEvent);
    return handler(event as SQSEvent);
  };
  const target = { name: 'deliver-offer', invoke };
  const consumer = consumeQueue(
    { queue, queueName: 'offers', target, batchSize, maximumConcurrency: 2 },
    (log) => logs.push(log),
  );
  onTestFinished(() => consumer.stop());
};

const send = (body: string) => queue.send('offers', { body }).messageId;
const batchLogged = (count: number) => expect.poll(() => logs).toHaveLength(count);

test("a queue's event source delivers a message in the shape of an SQS event and deletes it", async () => {
  const attributes = {
    reason: { DataType: 'String', StringValue: 'late' },
    data: { DataType: 'Binary', BinaryValue: 'AAE=' },
  };
  const { messageId } = queue.send('offers', { body: 'hello', attributes });
  consume(() => undefined);
  await batchLogged(1);
  const record = {
    messageId,
    body: 'hello',
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(nowMs) },
    messageAttributes: {
      reason: { dataType: 'String', stringValue: 'late' },
      data: { dataType: 'Binary', binaryValue: 'AAE=' },
    },
    md5OfBody: '5d41402abc4b2a76b9719d911017c592',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:offers',
  };
  expect(events).toMatchObject([{ Records: [record] }]);
  expect(logs).toMatchObject([{ source: 'offers', messageIds: [messageId], failed: [] }]);
  expect(queue.attributes('offers')).toMatchObject({ visible: 0, inFlight: 0 });
});

const reporting = (...batchItemFailures: object[]) => ({ batchItemFailures });

test.each<[string, (ids: string[]) => unknown, string[], string]>([
  ['what the function reports', ([, id]) => reporting({ itemIdentifier: id }), ['b'], 'undefined'],
  ['all when a key is misspelt', () => reporting({ itemIdentifer: 'x' }), ['a', 'b'], 'undefined,'],
  ['all without a list', () => ({ batchItemFailures: 'all' }), ['a', 'b'], 'is not a list'],
  ['all when it throws', () => Promise.reject(new Error('no mail')), ['a', 'b'], 'no mail'],
])("a queue's event source keeps %s, and delivers it again", async (_, handler, kept, error) => {
  const ids = ['a', 'b'].map(send);
  consume(() => handler(ids));
  await batchLogged(1);
  expect(logs[0]).toMatchObject({ messageIds: ids, failed: ids.slice(-kept.length) });
  expect(String(logs[0]?.error)).toContain(error);
  expect(queue.attributes('offers')).toMatchObject({ visible: 0, inFlight: kept.length });
  nowMs += timeoutMs;
  await batchLogged(2);
  const attributes = { ApproximateReceiveCount: '2' };
  expect(events[1]?.Records).toMatchObject(kept.map((body) => ({ body, attributes })));
});

test("a queue's event source receives no more than the function may work on at once", async () => {
  const releases: (() => void)[] = [];
  for (const body of ['a', 'b', 'c']) send(body);
  consume(() => new Promise<void>((resolve) => releases.push(resolve)), 1);
  // Before the source is stopped, which waits for its batches.
  onTestFinished(() => {
    for (const release of releases) release();
  });
  await expect.poll(() => releases).toHaveLength(2);
  expect(queue.attributes('offers')).toMatchObject({ visible: 1, inFlight: 2 });
  releases[0]?.();
  await expect.poll(() => releases).toHaveLength(3);
});
