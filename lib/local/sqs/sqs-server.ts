import { createHash } from 'node:crypto';
import { queueUrl } from '../aws-account.ts';
import { type Operations, startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import type { Message, QueueService } from './queue-service.ts';

/** Requests name their queue by its URL, of which the name is the last part. */
interface QueueRequest {
  readonly QueueUrl: string;
}

/** A message to send, alone or as an entry of a batch. */
interface SendEntry {
  readonly MessageBody: string;
}

/** A received message, alone or as an entry of a batch. */
interface ReceiptEntry {
  readonly ReceiptHandle: string;
}

interface BatchRequest<Entry> extends QueueRequest {
  readonly Entries: (Entry & { readonly Id: string })[];
}

/** Times are in seconds. */
interface ReceiveRequest extends QueueRequest {
  readonly MaxNumberOfMessages?: number;
  readonly WaitTimeSeconds?: number;
}

/**
 * Speaks the part of SQS that a service uses, in the JSON protocol of today's SDKs.
 *
 * @param log gets a line for each request that failed by a fault of the server
 */
export const startSqsServer = (
  service: QueueService,
  log?: (line: string) => void,
): Promise<Listener> =>
  startJsonServer({ ...messageOperations(service), ...queueOperations(service) }, log);

const messageOperations = (service: QueueService): Operations => {
  const send = (request: QueueRequest, { MessageBody }: SendEntry) => ({
    MessageId: service.send(nameIn(request), { body: MessageBody }).messageId,
    MD5OfMessageBody: md5(MessageBody),
  });
  const remove = (request: QueueRequest, { ReceiptHandle }: ReceiptEntry) => {
    service.delete(nameIn(request), ReceiptHandle);
    return {};
  };
  return {
    'AmazonSQS.SendMessage': (input: QueueRequest & SendEntry) => send(input, input),
    'AmazonSQS.SendMessageBatch': (input: BatchRequest<SendEntry>) =>
      batch(input, (entry) => send(input, entry)),
    'AmazonSQS.ReceiveMessage': async (input: ReceiveRequest, { signal }) => {
      const { MaxNumberOfMessages: maximum = 1, WaitTimeSeconds = 0 } = input;
      const messages = await service.receive(nameIn(input), {
        maximum,
        waitMs: WaitTimeSeconds * 1000,
        // A message received for a closed connection would stay hidden for its whole timeout.
        signal,
      });
      return { Messages: messages.map(received) };
    },
    'AmazonSQS.DeleteMessage': (input: QueueRequest & ReceiptEntry) => remove(input, input),
    'AmazonSQS.DeleteMessageBatch': (input: BatchRequest<ReceiptEntry>) =>
      batch(input, (entry) => remove(input, entry)),
    'AmazonSQS.ChangeMessageVisibility': (
      input: QueueRequest & ReceiptEntry & { readonly VisibilityTimeout: number },
    ) => {
      const { ReceiptHandle, VisibilityTimeout } = input;
      service.changeVisibility(nameIn(input), ReceiptHandle, VisibilityTimeout * 1000);
      return {};
    },
  };
};

const queueOperations = (service: QueueService): Operations => ({
  'AmazonSQS.GetQueueUrl': ({ QueueName }: { QueueName: string }, { url }) => ({
    QueueUrl: queueUrl(url, service.settings(QueueName).name),
  }),
  // Who may send, what is encrypted and how long a message is kept has no effect here.
  'AmazonSQS.CreateQueue': ({ QueueName: name }: { QueueName: string }, { url }) => {
    service.create({ name, visibilityTimeoutMs: 30_000 });
    return { QueueUrl: queueUrl(url, name) };
  },
  'AmazonSQS.DeleteQueue': (input: QueueRequest) => {
    service.remove(nameIn(input));
    return {};
  },
});

const nameIn = ({ QueueUrl }: QueueRequest): string => QueueUrl.split('/').at(-1) ?? '';

/** Nothing in an entry is at fault here. */
const batch = <Entry extends object>(
  { Entries }: BatchRequest<Entry>,
  act: (entry: Entry) => object,
): object => ({ Successful: Entries.map((entry) => ({ Id: entry.Id, ...act(entry) })) });

const received = ({ messageId, receiptHandle, body }: Message): object => ({
  MessageId: messageId,
  ReceiptHandle: receiptHandle,
  Body: body,
  MD5OfBody: md5(body),
});

/** SDKs recompute it over the body and refuse a message where it differs. */
export const md5 = (body: string): string => createHash('md5').update(body).digest('hex');
