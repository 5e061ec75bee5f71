import type { SQSRecord } from 'aws-lambda';
import { queueArn, region } from '../aws-account.ts';
import { subject } from '../log-lines.ts';
import { md5 } from '../sqs/message-attributes.ts';
import { type Message, type QueueService, systemAttributesOf } from '../sqs/queue-service.ts';
import {
  type BatchLog,
  type EventSource,
  type InvocationTarget,
  invokeBatch,
  startSource,
} from './batch.ts';

export interface QueueEventSource {
  readonly queue: QueueService;
  readonly queueName: string;
  readonly target: InvocationTarget;
  readonly batchSize: number;
  /** How many batches may be with the function at once. */
  readonly maximumConcurrency: number;
}

const longPollMs = 20_000;

/**
 * Feeds a function from a queue until stopped. What succeeds is deleted; what fails stays in the
 * queue and becomes visible again after its visibility timeout.
 */
export const consumeQueue = (
  source: QueueEventSource,
  onBatch: (log: BatchLog) => void,
): EventSource => startSource((signal) => consume(source, onBatch, signal));

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
  const { queue, queueName, target } = source;
  const log = await invokeBatch(
    queueName,
    target,
    new Map(messages.map((each) => [each.messageId, toRecord(each, queueName)])),
    new Map(messages.map(({ messageId, body }) => [messageId, subject(body)])),
  );
  onBatch(log);
  for (const { messageId, receiptHandle } of messages) {
    if (!log.failed.includes(messageId)) queue.delete(queueName, receiptHandle);
  }
};

/** As Lambda names their members ("Using Lambda with Amazon SQS", example message event). */
const attributesOf = ({ attributes = {} }: Message): SQSRecord['messageAttributes'] =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType as 'String',
      },
    ]),
  );

const toRecord = (message: Message, queueName: string): SQSRecord => ({
  messageId: message.messageId,
  receiptHandle: message.receiptHandle,
  body: message.body,
  attributes: systemAttributesOf(message),
  messageAttributes: attributesOf(message),
  md5OfBody: md5(message.body),
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn(queueName),
  awsRegion: region,
});
