import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { maximumFailures } from '../domain/outbox.ts';
import { logger } from '../telemetry/logger.ts';
import { count, measured } from '../telemetry/metrics.ts';
import { loggable } from './loggable.ts';

/** Time to end a pause of the SDK, log and answer before Lambda kills the function. */
const reserveMs = 2000;

/** One of the times that a message comes. */
export interface Receive {
  /** How often the message has come, this time included. */
  readonly count: number;
  readonly receiptHandle: string;
  readonly messageId: string;
  /** Who has sent it, as SQS names them (Amazon SQS API Reference, "ReceiveMessage"). */
  readonly sender: string;
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

/** What is logged of a message. */
type Ids = Readonly<Record<string, string | number | undefined>>;

/** @returns what is logged besides */
type Consume<Message> = (message: Message, receive: Receive) => Promise<Ids> | Promise<void>;

/**
 * The Lambda handler of a queue. Each message stands alone: one that fails comes again, and the
 * others of its batch do not. `consume` must find nothing to do when a message comes twice.
 *
 * @param giveUp makes an unreadable message a dead letter, where its queue lets messages come more
 * often than they may fail
 * @param schema takes from a message what the consumer needs, in a flat record that may be logged
 */
export const consumer = <Message extends Ids>(
  schema: z.ZodMiniType<Message>,
  consume: Consume<Message>,
  giveUp?: (body: string) => Promise<void>,
) => confidentialConsumer(schema, consume, (_, __, message) => message ?? {}, giveUp);

/**
 * The same where messages hold what may not be logged.
 *
 * @param idsIn the identifiers in a message, or in what is no valid one
 */
export const confidentialConsumer = <Message>(
  schema: z.ZodMiniType<Message>,
  consume: Consume<Message>,
  idsIn: (input: unknown, messageId: string, message?: Message) => Ids,
  giveUp?: (body: string) => Promise<void>,
) =>
  measured(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const remainingMs = () => Math.max(0, context.getRemainingTimeInMillis() - reserveMs);
    const consumeRecord = async ({ body, messageId, receiptHandle, attributes }: SQSRecord) => {
      const { ApproximateReceiveCount, SenderId: sender } = attributes;
      const receives = Number(ApproximateReceiveCount);
      let facts: Ids = { invocation_id: context.awsRequestId, message_id: messageId };
      try {
        const input = parseJson(body);
        const { data: message, error } = schema.safeParse(input);
        facts = { ...facts, ...idsIn(input, messageId, message) };
        if (error) throw unreadable(error);
        const receive = { count: receives, receiptHandle, messageId, sender, body, remainingMs };
        const result = await consume(message, receive);
        logger.info('message', { ...facts, ...result });
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

/** Names each wrong member and no value: a message may hold an address. */
const unreadable = ({ issues }: z.core.$ZodError): Unreadable => {
  const faults = issues.map((issue) => {
    const { code } = issue.code === 'custom' ? { ...issue, ...issue.params } : issue;
    return `${issue.path.join('.') || 'it'} (${code})`;
  });
  return new Unreadable(`The message is not valid: ${faults.join(', ')}.`);
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Unreadable('The message is not JSON.');
  }
};
