import { randomUUID } from 'node:crypto';
import { account, queueArn, queueUrl } from '../aws-account.ts';
import { requireSupported } from '../cloudformation/supported.ts';
import {
  type Operations,
  parseJson,
  ServiceError,
  startJsonServer,
} from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import { md5, md5OfAttributes, named } from './message-attributes.ts';
import type { Message, QueueService, QueueSettings } from './queue-service.ts';
import { systemAttributesOf } from './queue-service.ts';
import { checkBatch, type MessageInput, readMessage } from './read-message.ts';
import { inRange, invalidParameter, required, sqsError } from './sqs-error.ts';

/**
 * Speaks the part of SQS that a service, its senders and its operators use, in the JSON protocol of
 * today's SDKs. Who may send, what is encrypted and how long a message is kept has no effect here.
 *
 * @param log gets a line for each request that failed by a fault of the server
 */
export const startSqsServer = (
  service: QueueService,
  log?: (line: string) => void,
): Promise<Listener> =>
  startJsonServer(
    { ...messageOperations(service), ...queueOperations(service), ...moveOperations(service) },
    log,
  );

/** What a request does to one message, and each entry of a batch to its own. */
type Act = (queue: string, input: MessageInput) => object;

const longestHiddenS = 43_200;

const messageOperations = (service: QueueService): Operations => {
  const send: Act = (queue, input) => {
    const message = readMessage(input);
    return {
      MessageId: service.send(queue, message).messageId,
      MD5OfMessageBody: md5(message.body),
      MD5OfMessageAttributes: md5OfAttributes(message.attributes),
    };
  };
  const hide: Act = (queue, input) => {
    const { VisibilityTimeout = Number.NaN } = input;
    const seconds = inRange('VisibilityTimeout', VisibilityTimeout, 0, longestHiddenS);
    service.changeVisibility(queue, handleIn(input), seconds * 1000);
    return {};
  };
  const remove: Act = (queue, input) => {
    service.delete(queue, handleIn(input));
    return {};
  };
  const forOne = (act: Act) => (input: MessageInput & Addressed) => act(nameIn(input), input);
  const forEach = (act: Act) => (input: Addressed & { Entries?: readonly MessageInput[] }) =>
    actOnEach(service.settings(nameIn(input)).name, input.Entries ?? [], act);
  return {
    'AmazonSQS.SendMessage': forOne(send),
    'AmazonSQS.SendMessageBatch': forEach(send),
    'AmazonSQS.DeleteMessage': forOne(remove),
    'AmazonSQS.DeleteMessageBatch': forEach(remove),
    'AmazonSQS.ChangeMessageVisibility': forOne(hide),
    'AmazonSQS.ChangeMessageVisibilityBatch': forEach(hide),
    'AmazonSQS.ReceiveMessage': async (input, { signal }) => {
      const queue = service.settings(nameIn(input));
      const { MaxNumberOfMessages = 1, WaitTimeSeconds = 0 } = input;
      const { VisibilityTimeout = queue.visibilityTimeoutMs / 1000 } = input;
      const messages = await service.receive(queue.name, {
        maximum: inRange('MaxNumberOfMessages', MaxNumberOfMessages, 1, 10),
        waitMs: inRange('WaitTimeSeconds', WaitTimeSeconds, 0, 20) * 1000,
        hideMs: inRange('VisibilityTimeout', VisibilityTimeout, 0, longestHiddenS) * 1000,
        // A message received for a closed connection would stay hidden for its whole timeout.
        signal,
      });
      return { Messages: messages.map((message) => received(message, input)) };
    },
  };
};

const queueOperations = (service: QueueService): Operations => ({
  'AmazonSQS.GetQueueUrl': ({ QueueName }, { url }) => ({
    QueueUrl: queueUrl(url, service.settings(QueueName).name),
  }),
  'AmazonSQS.GetQueueAttributes': (input) => {
    const settings = service.settings(nameIn(input));
    const { visible, inFlight } = service.attributes(settings.name);
    const all = {
      ...attributesOf(settings),
      QueueArn: queueArn(settings.name),
      ApproximateNumberOfMessages: `${visible}`,
      ApproximateNumberOfMessagesNotVisible: `${inFlight}`,
    };
    return { Attributes: named(all, input.AttributeNames) };
  },
  'AmazonSQS.CreateQueue': ({ QueueName, Attributes = {} }, { url }) => {
    const name = required('QueueName', QueueName);
    const settings = readSettings(service, name, Attributes);
    if (!service.names().includes(name)) service.create(settings);
    const [own, given] = [attributesOf(service.settings(name)), attributesOf(settings)];
    const other = Object.keys(Attributes).find((each) => own[each] !== given[each]);
    const fault = 'A queue already exists with the same name and a different value for attribute';
    if (other) throw sqsError('QueueNameExists', `${fault} ${other}`);
    return { QueueUrl: queueUrl(url, name) };
  },
  'AmazonSQS.SetQueueAttributes': ({ Attributes, ...input }) => {
    const settings = service.settings(nameIn(input));
    const all = { ...attributesOf(settings), ...Attributes };
    service.create(readSettings(service, settings.name, all));
  },
  'AmazonSQS.ListQueues': ({ QueueNamePrefix = '' }, { url }) => {
    const names = service.names().filter((name) => name.startsWith(QueueNamePrefix));
    return { QueueUrls: names.map((name) => queueUrl(url, name)) };
  },
  'AmazonSQS.DeleteQueue': (input) => service.remove(nameIn(input)),
  'AmazonSQS.PurgeQueue': (input) => service.purge(nameIn(input)),
});

/**
 * What a queue may have: the first two work here. The next ones change nothing on one machine, and
 * the last ones may have SQS's default alone (SQS API Reference, SetQueueAttributes).
 */
const queueAttributes =
  'VisibilityTimeout RedrivePolicy MessageRetentionPeriod Policy RedriveAllowPolicy SqsManagedSseEnabled KmsMasterKeyId KmsDataKeyReusePeriodSeconds DelaySeconds=0 MaximumMessageSize=1048576 ReceiveMessageWaitTimeSeconds=0';

/** @throws ServiceError for what SQS refuses (API Reference, CreateQueue), or does not work here */
const readSettings = (
  service: QueueService,
  name: string,
  attributes: Readonly<Record<string, string>>,
): QueueSettings => {
  requireSupported(queueAttributes, attributes);
  const { VisibilityTimeout = '30', RedrivePolicy = '' } = attributes;
  const seconds = inRange('VisibilityTimeout', Number(VisibilityTimeout), 0, longestHiddenS);
  const settings = { name, visibilityTimeoutMs: seconds * 1000 };
  if (!RedrivePolicy) return settings;
  const { deadLetterTargetArn, maxReceiveCount: count } = Object(parseJson(RedrivePolicy));
  if (!service.withArn(deadLetterTargetArn)) {
    throw invalidParameter('RedrivePolicy', RedrivePolicy, 'Dead letter target does not exist.');
  }
  const maxReceiveCount = inRange('maxReceiveCount', Number(count), 1, 1000);
  return { ...settings, redrive: { deadLetterTargetArn, maxReceiveCount } };
};

/** Those that work here, as a request names them. */
const attributesOf = ({ visibilityTimeoutMs, redrive }: QueueSettings): Record<string, string> => ({
  VisibilityTimeout: `${visibilityTimeoutMs / 1000}`,
  ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
});

const moveOperations = (service: QueueService): Operations => {
  const nameOf = (parameter: string, arn: string | undefined) => {
    const name = service.withArn(required(parameter, arn));
    if (name !== undefined) return name;
    const message = `The resource that you specified for the ${parameter} parameter doesn't exist.`;
    throw sqsError('ResourceNotFoundException', message, 404);
  };
  return {
    'AmazonSQS.StartMessageMoveTask': ({ SourceArn, DestinationArn }) => {
      const source = nameOf('SourceArn', SourceArn);
      service.move(source, DestinationArn && nameOf('DestinationArn', DestinationArn));
      return { TaskHandle: randomUUID() };
    },
    'AmazonSQS.ListMessageMoveTasks': ({ SourceArn, MaxResults = 1 }) => ({
      Results: service
        .moves(nameOf('SourceArn', SourceArn))
        .slice(0, inRange('MaxResults', MaxResults, 1, 10))
        .map(({ destination, startedMs, moved, failure }) => ({
          SourceArn,
          DestinationArn: destination && queueArn(destination),
          StartedTimestamp: startedMs,
          Status: failure ? 'FAILED' : 'COMPLETED',
          FailureReason: failure,
          ApproximateNumberOfMessagesMoved: moved,
          ApproximateNumberOfMessagesToMove: moved,
        })),
    }),
  };
};

interface Addressed {
  readonly QueueUrl?: string;
}

/** Requests name their queue by its URL: `http://127.0.0.1:50001/000000000000/my-queue`. */
const nameIn = ({ QueueUrl }: Addressed): string => {
  const [, owner, name] = URL.parse(required('QueueUrl', QueueUrl))?.pathname.split('/') ?? [];
  if (owner === account && name) return name;
  throw sqsError('InvalidAddress', `The address ${QueueUrl} is not valid for this endpoint.`, 404);
};

/** A handle of a message that is gone is valid, one that no receive returned is not. */
const handleIn = ({ ReceiptHandle }: MessageInput): string => {
  const handle = required('ReceiptHandle', ReceiptHandle);
  if (/^[\da-f-]{36}$/.test(handle)) return handle;
  throw sqsError('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not valid.`);
};

const actOnEach = (queue: string, entries: readonly MessageInput[], act: Act): object => {
  checkBatch(entries);
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...act(queue, entry) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { queryCode: Code, message: Message } = error;
      Failed.push({ Id: entry.Id, SenderFault: true, Code, Message });
    }
  }
  return { Successful, Failed };
};

type Asked = Readonly<Record<string, readonly string[] | undefined>>;

const received = (message: Message, asked: Asked): object => {
  const attributes = named(message.attributes ?? {}, asked.MessageAttributeNames);
  // Older code names them by a parameter that SQS still takes (SQS API Reference, ReceiveMessage).
  const { AttributeNames, MessageSystemAttributeNames = AttributeNames } = asked;
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: md5(message.body),
    MessageAttributes: attributes,
    MD5OfMessageAttributes: md5OfAttributes(attributes),
    Attributes: named<string>(systemAttributesOf(message), MessageSystemAttributeNames),
  };
};
