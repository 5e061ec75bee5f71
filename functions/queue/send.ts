import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { batchesOf } from '../runtime/batches.ts';
import { loggable } from '../telemetry/loggable.ts';
import { logger } from '../telemetry/logger.ts';
import { sqs } from './sqs.ts';

/** A message, with the name that its sender gave it. */
export interface OutgoingMessage {
  readonly id: string;
  readonly queueUrl: string;
  readonly body: Readonly<Record<string, string | undefined>>;
  /** The workspace that shares the queue fairly with others; none in a dead-letter queue. */
  readonly group?: string;
}

/** @returns the ids of the messages that no queue has accepted */
export const sendMessages = async (messages: readonly OutgoingMessage[]): Promise<string[]> => {
  const byQueue = Map.groupBy(messages, ({ queueUrl }) => queueUrl);
  const sent = [...byQueue].flatMap(([queueUrl, all]) =>
    batchesOf(all).map((batch) => sendBatch(queueUrl, batch)),
  );
  return (await Promise.all(sent)).flat();
};

const sendBatch = async (queueUrl: string, batch: OutgoingMessage[]): Promise<string[]> => {
  try {
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: batch.map(({ body, group }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(body),
          MessageGroupId: group,
        })),
      }),
    );
    return Failed.map(({ Id }) => batch[Number(Id)]?.id ?? '');
  } catch (error) {
    logger.error('send', { queue_url: queueUrl, error: loggable(error) });
    return batch.map(({ id }) => id);
  }
};
