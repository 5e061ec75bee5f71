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
  <Message extends Record<string, string>>(
    schema: z.ZodMiniType<Message>,
    consume: (message: Message) => Promise<void>,
  ) =>
  (event: SQSEvent, context: Context) => {
    const consumeRecord = async ({ body, messageId }: SQSRecord) => {
      let facts: Record<string, string> = { message_id: messageId };
      try {
        const message = schema.parse(JSON.parse(body));
        facts = { ...facts, ...message };
        await consume(message);
        logger.info('message', facts);
      } catch (error) {
        logger.error('message', { ...facts, error: loggable(error) });
        throw error;
      }
    };
    const processor = new BatchProcessor(EventType.SQS);
    return processPartialResponse(event, consumeRecord, processor, {
      context,
      throwOnFullBatchFailure: false,
    });
  };

/** What AWS says may hold what we sent it, such as an address; its name says enough. */
const loggable = (error: unknown): Error | string =>
  error instanceof Error && !('$metadata' in error) ? error : (error as Error).name;
