import { createHash } from 'node:crypto';
import { account, arn } from '../account.ts';
import type { Message } from './queue-service.ts';

/** The address under which a queue of this server is known to the SDK. */
export function queueUrl(serverUrl: string, queue: string): string {
  return `${serverUrl}/${account}/${queue}`;
}

export function queueArn(queue: string): string {
  return arn('sqs', queue);
}

/** A message's system attributes, as ReceiveMessage and Lambda's event carry them. */
export function systemAttributes(message: Message) {
  return {
    ApproximateReceiveCount: String(message.receives),
    SentTimestamp: String(message.sentMs),
    SenderId: account,
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedMs),
    ...(message.deadLetterSource !== undefined && {
      DeadLetterQueueSourceArn: queueArn(message.deadLetterSource),
    }),
  };
}

/** SDKs recompute it over the body and refuse a message where it differs. */
export function md5(body: string): string {
  return createHash('md5').update(body).digest('hex');
}
