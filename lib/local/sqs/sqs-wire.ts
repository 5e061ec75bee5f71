import { createHash } from 'node:crypto';
import { account, queueArn } from '../aws-account.ts';
import type { Message } from './queue-service.ts';

/** A message's system attributes, as ReceiveMessage and Lambda's event carry them. */
export const systemAttributes = (message: Message) => ({
  ApproximateReceiveCount: String(message.receives),
  SentTimestamp: String(message.sentMs),
  SenderId: account,
  ApproximateFirstReceiveTimestamp: String(message.firstReceivedMs),
  ...(message.deadLetterSource !== undefined && {
    DeadLetterQueueSourceArn: queueArn(message.deadLetterSource),
  }),
});

/** SDKs recompute it over the body and refuse a message where it differs. */
export const md5 = (body: string): string => createHash('md5').update(body).digest('hex');
