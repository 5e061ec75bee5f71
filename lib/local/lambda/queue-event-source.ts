import type { SQSRecord } from 'aws-lambda';
import { queueArn, region } from '../aws-account.ts';
import { subject } from '../log-lines.ts';
import type { ServiceError } from '../server/service-error.ts';
import type { Message, QueueService } from '../sqs/queue-service.ts';
import { md5, systemAttributes } from '../sqs/sqs-wire.ts';
import { type BatchLog, type InvocationTarget, invokeBatch } from './batch.ts';

/** A queue, the function that it feeds, and how. */
export interface QueueEventSource {
  readonly queue: QueueService;
  readonly queueName: string;
  readonly target: InvocationTarget;
  readonly batchSize: number;
  /** How many batches may be with the function at once. */
  readonly maximumConcurrency: number;
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
    const { queue, queueName, batchSize: maximum } = source;
    const messages = await queue.receive(queueName, { maximum, waitMs: longPollMs, signal });
    const batch = deliver(messages, source, onBatch).finally(() => running.delete(batch));
    running.add(batch);
  }
  await Promise.all(running);
};

const deliver = async (
  messages: readonly Message[],
  source: QueueEventSource,
  onBatch: (log: BatchLog) => void,
): Promise<void> => {
  if (messages.length === 0) return;
  const { queue, queueName, target, retryDelayMs } = source;
  const log = await invokeBatch({
    source: queueName,
    target,
    records: new Map(messages.map((each) => [each.messageId, toRecord(each, queueName)])),
    subjects: new Map(messages.map(({ messageId, body }) => [messageId, subject(body)])),
  });
  onBatch(log);
  for (const { messageId, receiptHandle } of messages) {
    if (!log.failed.includes(messageId)) queue.delete(queueName, receiptHandle);
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
  messageAttributes: {},
  md5OfBody: md5(message.body),
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn(queueName),
  awsRegion: region,
});
