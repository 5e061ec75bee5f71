import type { SQSRecord } from 'aws-lambda';
import { region } from '../aws-account.ts';
import { type EventPattern, passes } from '../event-pattern.ts';
import { subject } from '../log-lines.ts';
import type { ServiceError } from '../service-error.ts';
import type { Message, QueueService } from '../sqs/queue-service.ts';
import { md5, queueArn, systemAttributes } from '../sqs/sqs-wire.ts';
import { type BatchLog, type InvocationTarget, invokeBatch } from './event-source.ts';

/** A queue, the function that it feeds, and how. */
export interface QueueEventSource {
  readonly queue: QueueService;
  readonly queueName: string;
  readonly target: InvocationTarget;
  readonly batchSize: number;
  /** How long an incomplete batch waits for more; 0 sends what is there. */
  readonly batchingWindowMs: number;
  readonly reportBatchItemFailures: boolean;
  /** How many batches may be with the function at once. */
  readonly maximumConcurrency: number;
  readonly filters: readonly EventPattern[];
  /** How long a failed message waits for its next try, in place of its visibility timeout. */
  readonly retryDelayMs?: number | undefined;
}

const longPollMs = 20_000;

/**
 * Feeds a function from a queue until stopped. What succeeds is deleted; what fails stays in the
 * queue and becomes visible again after its visibility timeout.
 *
 * `stop` resolves when the batches under way have ended; stop the function as well to end them
 * soon.
 */
export const consumeQueue = (
  source: QueueEventSource,
  onBatch: (log: BatchLog) => void,
): { stop: () => Promise<void> } => {
  const stopping = new AbortController();
  const consumed = consume(source, onBatch, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await consumed;
    },
  };
};

const consume = async (
  source: QueueEventSource,
  onBatch: (log: BatchLog) => void,
  signal: AbortSignal,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    // A message is received only when it can be handed on at once. Otherwise its visibility timeout
    // could end while it waits, and it would be delivered twice.
    if (running.size >= source.maximumConcurrency) await Promise.race(running);
    const messages = await gather(source, signal);
    const batch = deliver(messages, source, onBatch).finally(() => running.delete(batch));
    running.add(batch);
  }
  await Promise.all(running);
};

const gather = async (source: QueueEventSource, signal: AbortSignal): Promise<Message[]> => {
  const { queue, queueName, batchSize, batchingWindowMs } = source;
  const messages = await queue.receive(queueName, {
    maximum: batchSize,
    waitMs: longPollMs,
    signal,
  });
  const windowEndsAt = performance.now() + batchingWindowMs;
  while (messages.length > 0 && messages.length < batchSize && !signal.aborted) {
    const remainingMs = windowEndsAt - performance.now();
    if (remainingMs <= 0) break;
    const maximum = batchSize - messages.length;
    messages.push(...(await queue.receive(queueName, { maximum, waitMs: remainingMs, signal })));
  }
  return messages;
};

const deliver = async (
  messages: readonly Message[],
  source: QueueEventSource,
  onBatch: (log: BatchLog) => void,
): Promise<void> => {
  const { queue, queueName, target, reportBatchItemFailures, filters, retryDelayMs } = source;
  const records = new Map(
    messages
      .map((message) => toRecord(message, queueName))
      .filter((record) => passes({ ...record, body: parsedBody(record.body) }, filters))
      .map((record) => [record.messageId, record]),
  );
  const failed = new Set<string>();
  if (records.size > 0) {
    const subjects = new Map(messages.map(({ messageId, body }) => [messageId, subject(body)]));
    const log = await invokeBatch({
      source: queueName,
      target,
      records,
      subjects,
      reportBatchItemFailures,
    });
    for (const id of log.failed) failed.add(id);
    onBatch(log);
  }
  // Messages that match no filter are deleted too; otherwise they would be received again and
  // again.
  for (const { messageId, receiptHandle } of messages) {
    if (!failed.has(messageId)) queue.delete(queueName, receiptHandle);
    else if (retryDelayMs !== undefined) hide(source, receiptHandle, retryDelayMs);
  }
};

const hide = ({ queue, queueName }: QueueEventSource, receiptHandle: string, forMs: number) => {
  try {
    queue.changeVisibility(queueName, receiptHandle, forMs);
  } catch (error) {
    // Its visibility timeout is over already, so it is visible.
    if ((error as ServiceError).code !== 'MessageNotInflight') throw error;
  }
};

const toRecord = (message: Message, queueName: string): SQSRecord => ({
  messageId: message.messageId,
  receiptHandle: message.receiptHandle,
  body: message.body,
  attributes: systemAttributes(message),
  messageAttributes: Object.fromEntries(
    Object.entries(message.messageAttributes).map(
      ([name, { DataType, StringValue, BinaryValue }]) => [
        name,
        {
          stringValue: StringValue,
          binaryValue: BinaryValue,
          stringListValues: [],
          binaryListValues: [],
          dataType: DataType,
        },
      ],
    ),
  ),
  md5OfBody: md5(message.body),
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn(queueName),
  awsRegion: region,
});

// A pattern for a JSON body looks inside it; a body that is not JSON is matched as the text it is.
const parsedBody = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};
