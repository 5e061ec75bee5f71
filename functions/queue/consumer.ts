import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { faultsOf, inBody } from '../domain/faults.ts';
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

/** A message that the schema does not accept. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly isFinal = true;
}

/** What is logged of a message. */
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
interface Received<Message> {
  readonly record: SQSRecord;
  readonly input?: unknown;
  readonly message?: Message | undefined;
}

interface Options<Message> {
  /** What may be logged; without it, nothing of the body is. */
  readonly idsIn?: (received: Received<Message>) => Ids | undefined;
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
  { idsIn, whenGivenUp }: Options<Message>,
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
        const input = parseJson(record.body);
        const { data: message, error } = schema.safeParse(input);
        received = { record, input, message };
        if (!message) throw unreadable(error as z.core.$ZodError, input);
        const ids = await consume(message, record, remainingMs);
        logger.info('message', { ...facts(), ...ids });
      } catch (error) {
        if (error instanceof Postponed) {
          logger.warn('message', { ...facts(), error });
          throw error;
        }
        logger.error('message', { ...facts(), error: loggable(error) });
        count('MessageFailed');
        if (!(error as { isFinal?: boolean }).isFinal) throw error;
        await giveUp(record, error as Error, facts());
        if (received.message) await whenGivenUp?.(received.message);
      }
    };
    const ends = await Promise.allSettled(event.Records.map(consumeRecord));
    const failed = event.Records.filter((_, index) => ends[index]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });

/**
 * Names each fault once, by its place, code and sentence, and no value or unknown member: a message
 * may hold an address. A member of a wrong type has no other fault.
 */
const unreadable = ({ issues }: z.core.$ZodError, input: unknown): Unreadable => {
  const placeOf = ({ path }: z.core.$ZodIssue) => path.join('.') || 'it';
  const ofType = issues.filter(({ code }) => code === 'invalid_type').map(placeOf);
  const faults = issues
    .filter((issue) => issue.code === 'invalid_type' || !ofType.includes(placeOf(issue)))
    .flatMap((issue) => {
      const { code } = issue.code === 'custom' ? { ...issue, ...issue.params } : issue;
      const [fault] = faultsOf({ issues: [issue] }, input, inBody);
      return `${placeOf(issue)} (${code}): ${fault?.detail}`;
    });
  return new Unreadable(`The message is not valid: ${[...new Set(faults)].join(' ')}`);
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Unreadable('The message is not JSON.');
  }
};
