import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { printable } from '../domain/text.ts';
import { environment } from '../runtime/environment.ts';
import { sqs } from './sqs.ts';

/** Of a message with its attributes (Amazon SQS API Reference, SendMessage). */
const maximumBytes = 1_048_576;

/** Those of these attributes that a message has room for beside its body. */
const attributesBeside = (body: string, values: Readonly<Record<string, string>>) => {
  let bytes = Buffer.byteLength(body);
  const attributes = Object.entries(values).flatMap(([name, StringValue]) => {
    const DataType = 'String';
    const more = Buffer.byteLength(name + DataType + StringValue);
    if (bytes + more > maximumBytes) return [];
    bytes += more;
    return [[name, { DataType, StringValue }]];
  });
  return Object.fromEntries(attributes);
};

/**
 * Makes a message a dead letter at once, which its queue would deliver again. The letter has
 * another id, so its attributes name the one that its failures are logged with, and what is wrong.
 */
export const giveUp = async (record: SQSRecord, error: string): Promise<void> => {
  const { body, messageId, attributes } = record;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: environment('DEAD_LETTERS_URL'),
      MessageBody: body,
      MessageGroupId: attributes.MessageGroupId,
      MessageAttributes: attributesBeside(body, {
        message_id: messageId,
        // SQS refuses control characters, and a sender may have named a member so.
        error: printable(error).slice(0, 1000),
      }),
    }),
  );
};
