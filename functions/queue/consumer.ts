import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { count, measured } from '../telemetry/metrics.ts';

const logger = new Logger();

/**
 * The Lambda handler of a queue. Each message stands alone: one that fails comes again, and the
 * others of its batch do not. `consume` must find nothing to do when a message comes twice.
 *
 * @param schema takes from a message what the consumer needs, in a flat record that may be logged
 */
export const consumer = <Message extends Readonly<Record<string, string | undefined>>>(
  schema: z.ZodMiniType<Message>,
  consume: (message: Message) => Promise<void>,
) =>
  measured((event: SQSEvent, context: Context) => {
    const consumeRecord = async ({ body, messageId }: SQSRecord) => {
      let facts = { request_id: context.awsRequestId, message_id: messageId };
      try {
        const message = schema.parse(JSON.parse(body));
        facts = { ...facts, ...message };
        await consume(message);
        logger.info('message', facts);
      } catch (error) {
        logger.error('message', { ...facts, error: loggable(error) });
        count('MessageFailed');
        throw error;
      }
    };
    const processor = new BatchProcessor(EventType.SQS);
    return processPartialResponse(event, consumeRecord, processor, {
      context,
      throwOnFullBatchFailure: false,
    });
  });

/** What AWS or JSON.parse says may hold what it was given, such as an address; its name is enough. */
const loggable = (error: unknown): Error | string =>
  error instanceof Error && !('$metadata' in error) && !(error instanceof SyntaxError)
    ? error
    : (error as Error).name;
