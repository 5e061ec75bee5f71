import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BatchLog } from '../lambda/batch.ts';
import { consumeQueue, type QueueEventSource } from '../lambda/queue-event-source.ts';
import { QueueService } from '../sqs/queue-service.ts';

const timeoutMs = 60_000;

let nowMs: number;
let queue: QueueService;
let logs: BatchLog[];
let events: SQSEvent[];
let consumer: ReturnType<typeof consumeQueue>;

beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  logs = [];
  events = [];
  queue = new QueueService(() => nowMs);
  queue.create({ name: 'offers', visibilityTimeoutMs: timeoutMs });
});

afterEach(() => consumer.stop());

const consume = (
  handler: (event: SQSEvent) => unknown,
  settings: Partial<QueueEventSource> = {},
): void => {
  const invoke = async (event: unknown) => {
    events.push(event as SQSEvent);
    return handler(event as SQSEvent);
  };
  const target = { name: 'deliver-offer', invoke };
  const source = { queue, queueName: 'offers', target, batchSize: 10, maximumConcurrency: 2 };
  consumer = consumeQueue({ ...source, ...settings }, (log) => logs.push(log));
};

const send = (body: string) => queue.send('offers', { body }).messageId;
const batchLogged = (count: number) => expect.poll(() => logs).toHaveLength(count);

test("a queue's event source delivers a message in the shape of an SQS event and deletes it", async () => {
  const messageId = send('hello');
  consume(() => undefined);
  await batchLogged(1);
  const record = {
    messageId,
    receiptHandle: expect.any(String),
    body: 'hello',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(nowMs),
      SenderId: '000000000000',
      ApproximateFirstReceiveTimestamp: String(nowMs),
    },
    messageAttributes: {},
    md5OfBody: '5d41402abc4b2a76b9719d911017c592',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:offers',
    awsRegion: 'us-east-1',
  };
  expect(events).toEqual([{ Records: [record] }]);
  expect(logs).toMatchObject([{ source: 'offers', messageIds: [messageId], failed: [] }]);
  expect(queue.attributes('offers')).toMatchObject({ visible: 0, inFlight: 0 });
});

test("a queue's event source keeps only the messages that the function reports as failed", async () => {
  const ids = ['a', 'b', 'c'].map(send);
  consume(({ Records }) => ({
    batchItemFailures: Records.filter(({ body }) => body === 'b').map(({ messageId }) => ({
      itemIdentifier: messageId,
    })),
  }));
  await batchLogged(1);
  expect(logs[0]).toMatchObject({ messageIds: ids, failed: [ids[1]] });
  expect(queue.attributes('offers')).toMatchObject({ visible: 0, inFlight: 1 });
  nowMs += timeoutMs;
  await batchLogged(2);
  expect(events[1]?.Records).toMatchObject([
    { body: 'b', attributes: { ApproximateReceiveCount: '2' } },
  ]);
});

test.each<[string, () => unknown, RegExp]>([
  ['throws', () => Promise.reject(new Error('no mail today')), /no mail today/],
  ['misspells the key', () => ({ batchItemFailures: [{ itemIdentifer: 'x' }] }), /undefined/],
  ['returns no list', () => ({ batchItemFailures: 'all' }), /not a list/],
])(
  "a queue's event source keeps the whole batch when the function %s",
  async (_, handler, error) => {
    const ids = ['a', 'b'].map(send);
    consume(handler);
    await batchLogged(1);
    expect(logs[0]).toMatchObject({ failed: ids, error: expect.stringMatching(error) });
    expect(queue.attributes('offers')).toMatchObject({ visible: 0, inFlight: 2 });
  },
);

test("a queue's event source receives no more than the function may work on at once", async () => {
  const releases: (() => void)[] = [];
  for (const body of ['a', 'b', 'c']) send(body);
  consume(() => new Promise<void>((resolve) => releases.push(resolve)), { batchSize: 1 });
  await expect.poll(() => releases).toHaveLength(2);
  expect(queue.attributes('offers')).toMatchObject({ visible: 1, inFlight: 2 });
  releases[0]?.();
  await expect.poll(() => releases).toHaveLength(3);
  for (const release of releases) release();
  await batchLogged(3);
});
