import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';

const logger = new Logger();

/**
 * The Lambda handler of a queue. Each message stands alone: one that fails comes again, and the
 * others of its batch do not. `consume` must find nothing to do when a message comes twice.
 */
export const consumer =
  <Message>(schema: z.ZodMiniType<Message>, consume: (message: Message) => Promise<void>) =>
  (event: SQSEvent, context: Context) => {
    const consumeRecord = async ({ body, messageId }: SQSRecord) => {
      try {
        const message = schema.parse(JSON.parse(body));
        await consume(message);
        logger.info('message', { message_id: messageId, ...message });
      } catch (error) {
        logger.error('message', { message_id: messageId, error: error as Error });
        throw error;
      }
    };
    const processor = new BatchProcessor(EventType.SQS);
    return processPartialResponse(event, consumeRecord, processor, {
      context,
      throwOnFullBatchFailure: false,
    });
  };
