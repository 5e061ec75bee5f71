import { Logger } from '@aws-lambda-powertools/logger';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { maximumFailures } from '../domain/outbox.ts';
import { count, measured } from '../telemetry/metrics.ts';
import { annotate } from '../telemetry/trace.ts';
import { loggable } from './loggable.ts';

const logger = new Logger();

/** Time to end a pause of the SDK, log and answer before Lambda kills the function. */
const reserveMs = 2000;

/** One of the times that a message comes. */
export interface Receive {
  /** How often the message has come, this time included. */
  readonly count: number;
  readonly receiptHandle: string;
  readonly body: string;
  /** The time that is left before the function should end, in milliseconds. */
  readonly remainingMs: () => number;
}

/** A message that must wait for something that is not in it. It comes again, and nothing failed. */
export class Postponed extends Error {
  override readonly name = 'Postponed';
}

/** A message that the schema does not accept. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * The Lambda handler of a queue. Each message stands alone: one that fails comes again, and the
 * others of its batch do not. `consume` must find nothing to do when a message comes twice.
 *
 * @param giveUp makes an unreadable message a dead letter, where its queue lets messages come more
 * often than they may fail
 * @param schema takes from a message what the consumer needs, in a flat record that may be logged
 */
export const consumer = <Message extends Readonly<Record<string, string | undefined>>>(
  schema: z.ZodMiniType<Message>,
  consume: (message: Message, receive: Receive) => Promise<void>,
  giveUp?: (body: string) => Promise<void>,
) =>
  measured(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const remainingMs = () => Math.max(0, context.getRemainingTimeInMillis() - reserveMs);
    const consumeRecord = async ({ body, messageId, receiptHandle, attributes }: SQSRecord) => {
      const receives = Number(attributes.ApproximateReceiveCount);
      let facts = { invocation_id: context.awsRequestId, message_id: messageId };
      try {
        const message = read(schema, body);
        facts = { ...facts, ...message };
        await annotate(message);
        await consume(message, { count: receives, receiptHandle, body, remainingMs });
        logger.info('message', facts);
      } catch (error) {
        if (error instanceof Postponed) {
          logger.warn('message', { ...facts, error });
          throw error;
        }
        logger.error('message', { ...facts, error: loggable(error) });
        count('MessageFailed');
        if (error instanceof Unreadable && receives > maximumFailures && giveUp)
          return giveUp(body);
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
  throw new Unreadable(`The message is not valid: ${faults.join(', ')}.`);
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Unreadable('The message is not JSON.');
  }
};
