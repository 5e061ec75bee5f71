import { Logger } from '@aws-lambda-powertools/logger';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { count, measured } from '../telemetry/metrics.ts';
import { annotate } from '../telemetry/trace.ts';
import { loggable } from './loggable.ts';

const logger = new Logger();

/** Time to end a pause of the SDK, log and answer before Lambda kills the function. */
const reserveMs = 2000;

/**
 * The Lambda handler of a queue. Each message stands alone: one that fails comes again, and the
 * others of its batch do not. `consume` must find nothing to do when a message comes twice.
 *
 * @param consume also gets the time that is left before the function should end, in milliseconds
 * @param schema takes from a message what the consumer needs, in a flat record that may be logged
 */
export const consumer = <Message extends Readonly<Record<string, string | undefined>>>(
  schema: z.ZodMiniType<Message>,
  consume: (message: Message, remainingMs: () => number) => Promise<void>,
) =>
  measured(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const remainingMs = () => Math.max(0, context.getRemainingTimeInMillis() - reserveMs);
    const consumeRecord = async ({ body, messageId }: SQSRecord) => {
      let facts = { invocation_id: context.awsRequestId, message_id: messageId };
      try {
        const message = read(schema, body);
        facts = { ...facts, ...message };
        await annotate(message);
        await consume(message, remainingMs);
        logger.info('message', facts);
      } catch (error) {
        logger.error('message', { ...facts, error: loggable(error) });
        count('MessageFailed');
        throw error;
      }
    };
    const ends = await Promise.allSettled(event.Records.map(consumeRecord));
    const failed = event.Records.filter((_, index) => ends[index]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });

/** @throws Error that names each wrong member and no value: a message may hold an address */
const read = <Message>(schema: z.ZodMiniType<Message>, body: string): Message => {
  const { data, error } = schema.safeParse(parseJson(body));
  if (!error) return data;
  const faults = error.issues.map(({ path, code }) => `${path.join('.') || 'it'} (${code})`);
  throw new Error(`The message is not valid: ${faults.join(', ')}.`);
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error('The message is not JSON.');
  }
};
