import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { MessageRefused, messageFaults } from '../domain/message-refused.ts';
import { loggable } from '../telemetry/loggable.ts';
import { logger } from '../telemetry/logger.ts';
import { count, measured } from '../telemetry/metrics.ts';
import { giveUp } from './give-up.ts';

/** Time to end a pause of the SDK, log and respond before Lambda kills the function. */
const reserveMs = 2000;

/** A message that must wait for something that is not in it. It comes again, and nothing failed. */
export class Postponed extends Error {
  override readonly name = 'Postponed';
}

type Ids = Readonly<Record<string, string | number | undefined>>;

/**
 * @param record the message as SQS gives it
 * @param remainingMs the time that is left before the function should end, in milliseconds
 * @returns what is logged besides
 */
type Consume<Message> = (
  message: Message,
  record: SQSRecord,
  remainingMs: () => number,
) => Promise<Ids> | Promise<void>;

/** What was received: no input that is not JSON, and no message that the schema does not accept. */
export interface Received<Message> {
  readonly record: SQSRecord;
  readonly input?: unknown;
  readonly message?: Message | undefined;
}

interface Options<Message> {
  /** What may be logged; without it, nothing of the body is. */
  readonly idsIn?: (received: Received<Message>) => Ids | undefined;
  /** Is called before a message that is refused becomes a dead letter, maybe more than once. */
  readonly whenRefused?: (received: Received<Message>, error: MessageRefused) => Promise<void>;
  /** Is called when a message is a dead letter, maybe more than once. */
  readonly whenGivenUp?: (message: Message) => Promise<void>;
}

/**
 * The Lambda handler of a queue. Messages of a batch are independent: only those that fail are
 * received again, and one that no receive can consume, as its error says (`isFinal`), is a dead
 * letter at once. `consume` must find nothing to do when a message comes twice.
 */
export const consumer = <Message>(
  schema: z.ZodMiniType<Message>,
  { idsIn, whenRefused, whenGivenUp }: Options<Message>,
  consume: Consume<Message>,
) =>
  measured(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const remainingMs = () => Math.max(0, context.getRemainingTimeInMillis() - reserveMs);
    const consumeRecord = async (record: SQSRecord) => {
      let received: Received<Message> = { record };
      const facts = () => ({
        invocation_id: context.awsRequestId,
        message_id: record.messageId,
        ...idsIn?.(received),
      });
      try {
        const input = parseBody(record.body);
        const { data: message, error } = schema.safeParse(input);
        received = { record, input, message };
        if (!message) throw new MessageRefused(messageFaults(error as z.core.$ZodError, input));
        const ids = await consume(message, record, remainingMs);
        logger.info('message', { ...facts(), ...ids });
      } catch (error) {
        if (error instanceof Postponed) {
          logger.warn('message', { ...facts(), error });
          throw error;
        }
        const { isFinal, codes, message, inFull = message } = error as MessageRefused;
        logger.error('message', { ...facts(), ...codes, error: loggable(error) });
        // Another receive may succeed. A message that can never be consumed rings by its letter.
        if (!isFinal) {
          count('MessageFailed');
          throw error;
        }
        try {
          if (error instanceof MessageRefused) await whenRefused?.(received, error);
          await giveUp(record, inFull);
        } catch (failure) {
          count('MessageFailed');
          logger.error('dead letter', { ...facts(), error: loggable(failure) });
          throw failure;
        }
        if (received.message) await whenGivenUp?.(received.message);
      }
    };
    const ends = await Promise.allSettled(event.Records.map(consumeRecord));
    const failed = event.Records.filter((_, index) => ends[index]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });

const parseBody = (body: string): unknown => {
  let input: unknown;
  try {
    input = JSON.parse(body);
  } catch {
    throw new MessageRefused([{ code: 'malformed_json', detail: 'The message is not JSON.' }]);
  }
  if (Object(input).Type === 'Notification') {
    const detail =
      'The message is an envelope of SNS. Enable raw message delivery for its subscription.';
    throw new MessageRefused([{ code: 'sns_envelope', detail }]);
  }
  return input;
};
