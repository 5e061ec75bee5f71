import { queueArn, queueUrl } from '../aws-account.ts';
import type { Operations } from '../server/json-server.ts';
import { ServiceError } from '../server/service-error.ts';
import {
  type Message,
  maximumMessageBytes,
  maximumVisibilityTimeoutS,
  type QueueService,
} from './queue-service.ts';
import { md5, systemAttributes } from './sqs-wire.ts';

const maximumBatchEntries = 10;
const maximumWaitSeconds = 20;
/** The attributes of a new queue; who may send and what is encrypted has no effect here. */
const createAttributes: ReadonlySet<string> = new Set([
  'MessageRetentionPeriod',
  'Policy',
  'SqsManagedSseEnabled',
  'VisibilityTimeout',
]);

// The requests, in the wire form of the AWS JSON 1.0 protocol. Times are in seconds.
interface SendEntry {
  readonly Id: string;
  readonly MessageBody?: string;
  readonly DelaySeconds?: number;
  readonly MessageAttributes?: object;
}

interface ReceiptEntry {
  readonly Id: string;
  readonly ReceiptHandle: string;
  readonly VisibilityTimeout: number;
}

interface BatchRequest<Entry> {
  readonly Entries?: Entry[];
}

interface ReceiveRequest {
  readonly MaxNumberOfMessages?: number;
  readonly WaitTimeSeconds?: number;
  readonly VisibilityTimeout?: number;
  readonly MessageSystemAttributeNames?: string[];
}

/** Requests name their queue by its URL, of which the name is the last part. */
interface QueueRequest {
  readonly QueueUrl?: unknown;
}

/** Every operation offered. */
export const sqsOperations = (service: QueueService): Operations => ({
  ...messageOperations(service),
  ...queueOperations(service),
});

const messageOperations = (service: QueueService): Operations => ({
  'AmazonSQS.SendMessage': (input: QueueRequest & SendEntry) =>
    send(service, requestedQueue(input), input),

  'AmazonSQS.SendMessageBatch': (input: QueueRequest & BatchRequest<SendEntry>) => {
    const totalBytes = (input.Entries ?? []).reduce(
      (bytes, { MessageBody = '' }) => bytes + Buffer.byteLength(MessageBody),
      0,
    );
    if (totalBytes > maximumMessageBytes) {
      throw new ServiceError(
        'BatchRequestTooLong',
        `Batch requests cannot be longer than ${maximumMessageBytes} bytes.`,
      );
    }
    return batch(input, (entry) => send(service, requestedQueue(input), entry));
  },

  'AmazonSQS.ReceiveMessage': async (input: QueueRequest & ReceiveRequest, { signal }) => {
    const { MaxNumberOfMessages = 1, WaitTimeSeconds, VisibilityTimeout } = input;
    checkRange('MaxNumberOfMessages', MaxNumberOfMessages, 1, maximumBatchEntries);
    checkRange('WaitTimeSeconds', WaitTimeSeconds, 0, maximumWaitSeconds);
    checkRange('VisibilityTimeout', VisibilityTimeout, 0, maximumVisibilityTimeoutS);
    const messages = await service.receive(requestedQueue(input), {
      maximum: MaxNumberOfMessages,
      // A message received for a closed connection would stay hidden for its whole timeout.
      signal,
      ...(WaitTimeSeconds !== undefined && { waitMs: WaitTimeSeconds * 1000 }),
      ...(VisibilityTimeout !== undefined && { visibilityTimeoutMs: VisibilityTimeout * 1000 }),
    });
    return messages.length === 0
      ? {}
      : { Messages: messages.map((message) => received(message, input)) };
  },

  'AmazonSQS.DeleteMessage': (input: QueueRequest & ReceiptEntry) => {
    service.delete(requestedQueue(input), input.ReceiptHandle);
  },

  'AmazonSQS.DeleteMessageBatch': (input: QueueRequest & BatchRequest<ReceiptEntry>) =>
    batch(input, ({ ReceiptHandle }) => {
      service.delete(requestedQueue(input), ReceiptHandle);
    }),

  'AmazonSQS.ChangeMessageVisibility': (input: QueueRequest & ReceiptEntry) => {
    const { ReceiptHandle, VisibilityTimeout } = input;
    service.changeVisibility(requestedQueue(input), ReceiptHandle, VisibilityTimeout * 1000);
  },
});

const queueOperations = (service: QueueService): Operations => ({
  'AmazonSQS.GetQueueUrl': (input: { QueueName: string }, { url }) => ({
    QueueUrl: queueUrl(url, service.settings(input.QueueName).name),
  }),

  'AmazonSQS.GetQueueAttributes': (input: QueueRequest & { AttributeNames?: string[] }) => {
    const wanted = input.AttributeNames ?? [];
    const all = Object.entries(queueAttributes(service, requestedQueue(input)));
    return {
      Attributes: Object.fromEntries(
        all.filter(([name]) => wanted.includes('All') || wanted.includes(name)),
      ),
    };
  },

  'AmazonSQS.ListQueues': (input: { QueueNamePrefix?: string }, { url }) => {
    const names = service.names().filter((name) => name.startsWith(input.QueueNamePrefix ?? ''));
    return { QueueUrls: names.map((name) => queueUrl(url, name)) };
  },

  'AmazonSQS.CreateQueue': (
    input: { QueueName: string; Attributes?: Record<string, string> },
    { url },
  ) => {
    const { QueueName: name, Attributes = {} } = input;
    const unknown = Object.keys(Attributes).find((attribute) => !createAttributes.has(attribute));
    if (unknown) throw new ServiceError('InvalidAttributeName', `Unknown attribute ${unknown}.`);
    const { VisibilityTimeout = 30, MessageRetentionPeriod = 345_600 } = Attributes;
    service.create({
      name,
      visibilityTimeoutMs: Number(VisibilityTimeout) * 1000,
      retentionMs: Number(MessageRetentionPeriod) * 1000,
    });
    return { QueueUrl: queueUrl(url, name) };
  },

  'AmazonSQS.DeleteQueue': (input: QueueRequest) => {
    service.remove(requestedQueue(input));
  },
});

const requestedQueue = ({ QueueUrl = '' }: QueueRequest): string =>
  String(QueueUrl).split('/').at(-1) ?? '';

const send = (service: QueueService, queue: string, entry: Omit<SendEntry, 'Id'>): object => {
  const { MessageBody = '', MessageAttributes, DelaySeconds } = entry;
  if (DelaySeconds) throw unsupported('delay');
  if (MessageAttributes) throw unsupported('attributes');
  const { messageId } = service.send(queue, { body: MessageBody });
  return { MessageId: messageId, MD5OfMessageBody: md5(MessageBody) };
};

const unsupported = (what: string): ServiceError =>
  new ServiceError('UnsupportedOperation', `Messages have no ${what} here.`);

/** Each entry succeeds or fails by itself; only a faulty batch fails as a whole. */
const batch = <Entry extends { Id: string }>(
  { Entries: entries = [] }: BatchRequest<Entry>,
  act: (entry: Entry) => object | undefined,
): object => {
  if (entries.length === 0) {
    throw new ServiceError('EmptyBatchRequest', 'There should be at least one entry.');
  }
  if (entries.length > maximumBatchEntries) {
    throw new ServiceError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${maximumBatchEntries}.`,
    );
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new ServiceError('BatchEntryIdsNotDistinct', 'Two entries have the same Id.');
  }
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...act(entry) });
    } catch (error) {
      // A missing queue is not one entry's fault.
      if (!(error instanceof ServiceError) || error.code === 'QueueDoesNotExist') throw error;
      Failed.push({ Id: entry.Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return { Successful, Failed };
};

const received = (message: Message, request: ReceiveRequest): object => {
  const { MessageSystemAttributeNames: names = [] } = request;
  const wanted = Object.entries(systemAttributes(message)).filter(([name]) =>
    names.some((each) => each === 'All' || each === name),
  );
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: md5(message.body),
    ...(wanted.length > 0 && { Attributes: Object.fromEntries(wanted) }),
  };
};

const queueAttributes = (service: QueueService, queue: string): Record<string, string> => {
  const settings = service.settings(queue);
  const { visible, inFlight } = service.attributes(queue);
  const { redrive } = settings;
  return {
    QueueArn: queueArn(queue),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    VisibilityTimeout: String(settings.visibilityTimeoutMs / 1000),
    MessageRetentionPeriod: String(settings.retentionMs / 1000),
    MaximumMessageSize: String(maximumMessageBytes),
    ...(redrive && {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: queueArn(redrive.deadLetterQueue),
        maxReceiveCount: redrive.maximumReceives,
      }),
    }),
  };
};

const checkRange = (
  name: string,
  value: number | undefined,
  minimum: number,
  maximum: number,
): void => {
  if (value === undefined) return;
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new ServiceError(
      'InvalidParameterValueException',
      `Value ${value} for parameter ${name} is invalid: must be between ${minimum} and ${maximum}.`,
    );
  }
};
