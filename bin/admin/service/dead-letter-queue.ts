import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Service } from './connect.ts';

/** A message that a consumer gave up. */
export interface DeadLetter {
  readonly id: string;
  /** The name of the queue that it came from. */
  readonly queue: string;
  /** ISO 8601 in UTC: when it was first sent. */
  readonly sent: string;
  readonly body: string;
  readonly message: Message;
}

/** An operator's command finishes within this time; a message that it leaves then reappears. */
const hiddenS = 300;
/** A long poll queries all servers of a queue; a short one may miss messages that are there. */
const waitS = 1;

/**
 * Visits each dead letter of a queue once. The letters are hidden from other readers meanwhile, and
 * become visible again at the end, except those for which `visit` returns `true`: it has removed
 * them.
 */
export const visitDeadLetters = async (
  service: Service,
  queue: string,
  visit: (letter: DeadLetter) => Promise<boolean>,
): Promise<void> => {
  const { sqs } = service;
  const url = urls(service, queue).deadLetters;
  const seen = new Set<string>();
  const hidden = new Set<Message>();
  try {
    for (;;) {
      const messages = await receive(sqs, url);
      for (const message of messages) hidden.add(message);
      const fresh = messages.filter(({ MessageId = '' }) => !seen.has(MessageId));
      if (fresh.length === 0) return;
      const visits = fresh.map(async (message) => {
        seen.add(message.MessageId ?? '');
        if (await visit(deadLetter(queue, message))) hidden.delete(message);
      });
      const failed = (await Promise.allSettled(visits)).find(({ status }) => status === 'rejected');
      if (failed) throw (failed as PromiseRejectedResult).reason;
    }
  } finally {
    // A letter that cannot be made visible is visible already, or becomes so after its timeout.
    await Promise.allSettled([...hidden].map((message) => show(sqs, url, message)));
  }
};

/** Sends a letter to its queue, then removes it: a crash in between duplicates it. */
export const redrive = async (service: Service, letter: DeadLetter): Promise<void> => {
  const { body, message, queue } = letter;
  const { url } = urls(service, queue);
  if (!url) throw new Error(`The dead letters of ${queue} came from no queue.`);
  await service.sqs.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: body,
      MessageAttributes: message.MessageAttributes,
    }),
  );
  await discard(service, letter);
};

/** Removes a letter for good. */
export const discard = async (service: Service, { queue, message }: DeadLetter): Promise<void> => {
  await service.sqs.send(
    new DeleteMessageCommand({
      QueueUrl: urls(service, queue).deadLetters,
      ReceiptHandle: message.ReceiptHandle,
    }),
  );
};

const urls = (service: Service, queue: string) => {
  const found = service.queues[queue];
  if (!found) throw new Error(`There is no queue ${queue}.`);
  return found;
};

const receive = async (sqs: SQSClient, url: string): Promise<Message[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: hiddenS,
      WaitTimeSeconds: waitS,
      MessageSystemAttributeNames: ['SentTimestamp'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
};

const show = async (sqs: SQSClient, url: string, { ReceiptHandle }: Message): Promise<void> => {
  await sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 }),
  );
};

const deadLetter = (queue: string, message: Message): DeadLetter => ({
  id: message.MessageId ?? '',
  queue,
  sent: new Date(Number(message.Attributes?.SentTimestamp)).toISOString(),
  body: message.Body ?? '',
  message,
});
