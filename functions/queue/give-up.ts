import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { environment } from '../runtime/environment.ts';
import { loggable } from '../telemetry/loggable.ts';
import { logger } from '../telemetry/logger.ts';
import { sqs } from './sqs.ts';

/**
 * Makes a message a dead letter that its queue would let come again. It gets another id there, so
 * it says under which one its failures are logged, and what is wrong.
 *
 * @param facts what is logged of the message
 */
export const giveUp = async (
  { body, messageId, attributes }: SQSRecord,
  { message }: Error,
  facts: object,
): Promise<void> => {
  const text = (value: string) => ({ DataType: 'String', StringValue: value.slice(0, 1000) });
  try {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: environment('DEAD_LETTERS_URL'),
        MessageBody: body,
        MessageGroupId: attributes.MessageGroupId,
        MessageAttributes: { message_id: text(messageId), error: text(message) },
      }),
    );
  } catch (error) {
    logger.error('dead letter', { ...facts, error: loggable(error) });
    throw error;
  }
};
