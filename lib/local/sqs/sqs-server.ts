import { createHash } from 'node:crypto';
import { queueUrl } from '../aws-account.ts';
import { type Operations, startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import type { Message, QueueService } from './queue-service.ts';

/**
 * Speaks the part of SQS that a service uses, in the JSON protocol of today's SDKs.
 *
 * @param log gets a line for each request that failed by a fault of the server
 */
export const startSqsServer = (
  service: QueueService,
  log?: (line: string) => void,
): Promise<Listener> => {
  const send = (url: string, body: string) => ({
    MessageId: service.send(nameIn(url), { body }).messageId,
    MD5OfMessageBody: md5(body),
  });
  const operations: Operations = {
    'AmazonSQS.SendMessage': ({ QueueUrl, MessageBody }) => send(QueueUrl, MessageBody),
    'AmazonSQS.SendMessageBatch': ({ QueueUrl, Entries }) =>
      batch(Entries, ({ MessageBody = '' }) => send(QueueUrl, MessageBody)),
    'AmazonSQS.ReceiveMessage': async (input, { signal }) => {
      const { QueueUrl, MaxNumberOfMessages: maximum = 1, WaitTimeSeconds = 0 } = input;
      // A message received for a closed connection would stay hidden for its whole timeout.
      const options = { maximum, waitMs: WaitTimeSeconds * 1000, signal };
      return { Messages: (await service.receive(nameIn(QueueUrl), options)).map(received) };
    },
    'AmazonSQS.DeleteMessage': ({ QueueUrl, ReceiptHandle }) => {
      service.delete(nameIn(QueueUrl), ReceiptHandle);
    },
    'AmazonSQS.DeleteMessageBatch': ({ QueueUrl, Entries }) =>
      batch(Entries, ({ ReceiptHandle = '' }) => service.delete(nameIn(QueueUrl), ReceiptHandle)),
    'AmazonSQS.ChangeMessageVisibility': ({ QueueUrl, ReceiptHandle, VisibilityTimeout }) => {
      service.changeVisibility(nameIn(QueueUrl), ReceiptHandle, VisibilityTimeout * 1000);
    },
    'AmazonSQS.GetQueueUrl': ({ QueueName }, { url }) => ({
      QueueUrl: queueUrl(url, service.settings(QueueName).name),
    }),
    // Who may send, what is encrypted and how long a message is kept has no effect here.
    'AmazonSQS.CreateQueue': ({ QueueName: name }, { url }) => {
      service.create({ name, visibilityTimeoutMs: 30_000 });
      return { QueueUrl: queueUrl(url, name) };
    },
    'AmazonSQS.DeleteQueue': ({ QueueUrl }) => service.remove(nameIn(QueueUrl)),
  };
  return startJsonServer(operations, log);
};

/** Requests name their queue by its URL, of which the name is the last part. */
const nameIn = (url: string): string => url.split('/').at(-1) ?? '';

/** An entry of a batch: a message to send, or one that was received. */
interface Entry {
  readonly Id: string;
  readonly MessageBody?: string;
  readonly ReceiptHandle?: string;
}

/** Nothing in an entry is at fault here. */
const batch = (entries: readonly Entry[], act: (entry: Entry) => unknown): object => ({
  Successful: entries.map((entry) => ({ Id: entry.Id, ...(act(entry) as object) })),
});

const received = ({ messageId, receiptHandle, body }: Message): object => ({
  MessageId: messageId,
  ReceiptHandle: receiptHandle,
  Body: body,
  MD5OfBody: md5(body),
});

/** SDKs recompute it over the body and refuse a message where it differs. */
export const md5 = (body: string): string => createHash('md5').update(body).digest('hex');
